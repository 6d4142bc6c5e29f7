import { type FileFormats, type Manifest, officeFormats } from '../../../core/kit.ts';

/** What Tika reads besides text, without OCR: the media type of each extension. */
export const FORMATS: FileFormats = {
  ...officeFormats,
  '.dot': 'application/msword',
  '.pps': 'application/vnd.ms-powerpoint',
  '.xltx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.template',
  '.xlsb': 'application/vnd.ms-excel.sheet.binary.macroenabled.12',
  '.rtf': 'application/rtf',
  '.fb2': 'application/x-fictionbook+xml',
  '.chm': 'application/vnd.ms-htmlhelp',
  '.eml': 'message/rfc822',
  '.msg': 'application/vnd.ms-outlook',
  '.pub': 'application/x-mspublisher',
  '.vsd': 'application/vnd.visio',
  '.vsdx': 'application/vnd.ms-visio.drawing',
  '.wpd': 'application/vnd.wordperfect',
  '.pages': 'application/vnd.apple.pages',
  '.numbers': 'application/vnd.apple.numbers',
  '.key': 'application/vnd.apple.keynote',
};

export default {
  kind: 'reader',
  name: 'tika',
  summary: 'PDF, Office, OpenDocument, RTF, e-books and e-mail as Markdown, through your Apache Tika server.',
  formats: {
    extensions: Object.keys(FORMATS),
    mediaTypes: [...new Set([...Object.values(FORMATS), 'text/rtf'])],
  },
  reports: {
    'unread-attachments': 'How many files within the file Tika could not read; missing if it read all.',
  },
  needs: { env: ['TIKA_URL'] },
  urls: ['TIKA_URL'],
  light: true,
} as const satisfies Manifest;
