import type { Manifest } from '../../../core/kit.ts';

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

/** Media types by extension, for all formats that Tika reads without OCR except text. */
export const FORMATS: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.docx': `${OPEN_XML}.wordprocessingml.document`,
  '.dotx': `${OPEN_XML}.wordprocessingml.template`,
  '.docm': 'application/vnd.ms-word.document.macroenabled.12',
  '.doc': 'application/msword',
  '.dot': 'application/msword',
  '.pptx': `${OPEN_XML}.presentationml.presentation`,
  '.potx': `${OPEN_XML}.presentationml.template`,
  '.ppsx': `${OPEN_XML}.presentationml.slideshow`,
  '.pptm': 'application/vnd.ms-powerpoint.presentation.macroenabled.12',
  '.ppt': 'application/vnd.ms-powerpoint',
  '.pps': 'application/vnd.ms-powerpoint',
  '.xlsx': `${OPEN_XML}.spreadsheetml.sheet`,
  '.xltx': `${OPEN_XML}.spreadsheetml.template`,
  '.xlsm': 'application/vnd.ms-excel.sheet.macroenabled.12',
  '.xlsb': 'application/vnd.ms-excel.sheet.binary.macroenabled.12',
  '.xls': 'application/vnd.ms-excel',
  '.odt': `${OPEN_DOCUMENT}.text`,
  '.ods': `${OPEN_DOCUMENT}.spreadsheet`,
  '.odp': `${OPEN_DOCUMENT}.presentation`,
  '.rtf': 'application/rtf',
  '.epub': 'application/epub+zip',
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
