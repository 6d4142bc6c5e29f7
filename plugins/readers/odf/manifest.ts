import type { Manifest } from '../../../core/kit.ts';

const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';
const KINDS = ['text', 'spreadsheet', 'presentation', 'graphics'];

export default {
  kind: 'reader',
  name: 'odf',
  summary: 'OpenDocument texts, spreadsheets and presentations as Markdown, with slides, sheets and cells.',
  formats: {
    extensions: [
      ...['.odt', '.ott', '.fodt', '.odm', '.otm', '.oth'],
      ...['.ods', '.ots', '.fods', '.odp', '.otp', '.fodp', '.odg', '.otg', '.fodg', '.odf'],
    ],
    mediaTypes: [
      ...KINDS.flatMap((kind) =>
        ['', '-template', '-flat-xml'].map((more) => `${OPEN_DOCUMENT}.${kind}${more}`),
      ),
      ...['text-master', 'text-master-template', 'text-web', 'formula'].map(
        (kind) => `${OPEN_DOCUMENT}.${kind}`,
      ),
    ],
  },
  reports: {
    'left-out':
      'Which parts of the file that have text are not in it, such as `headers, comments`; missing if all are.',
    'hidden-sheets': 'How many sheets with text are hidden; missing if none is.',
    'hidden-slides': 'How many slides are hidden in a slide show; missing if none is.',
  },
  guarded: true,
} as const satisfies Manifest;
