import type { Manifest } from '../../../core/kit.ts';

const OPEN_XML = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

export default {
  kind: 'reader',
  name: 'docx',
  summary: 'Word documents as Markdown: headings, numbers, lists, tables, notes and equations.',
  formats: {
    extensions: ['.docx', '.docm', '.dotx', '.dotm'],
    mediaTypes: [
      `${OPEN_XML}.document`,
      `${OPEN_XML}.template`,
      'application/vnd.ms-word.document.macroenabled.12',
      'application/vnd.ms-word.template.macroenabled.12',
    ],
  },
  reports: {
    'left-out':
      'Which parts of the file that have text are not in it, such as `headers, comments`; missing if all are.',
  },
  needs: {
    packages: ['dingbat-to-unicode'],
  },
  guarded: true,
} as const satisfies Manifest;
