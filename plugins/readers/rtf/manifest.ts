import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'reader',
  name: 'rtf',
  summary: 'RTF documents as Markdown: headings, lists, tables, notes and links, in any code page.',
  formats: {
    extensions: ['.rtf'],
    mediaTypes: ['application/rtf', 'text/rtf', 'text/richtext', 'application/x-rtf'],
  },
  reports: {
    'left-out':
      'Which parts of the file that have text are not in it, such as `headers, comments`; missing if all are.',
    'doubtful-characters':
      'How many stretches have bytes that are invalid in their code page, and were read as windows-1252; missing if none has.',
  },
  needs: { packages: ['parse5', 'entities'] },
  guarded: true,
} as const satisfies Manifest;
