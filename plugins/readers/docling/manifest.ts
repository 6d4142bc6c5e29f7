import type { Manifest } from '../../../core/kit.ts';

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

/** Media types by extension, for all formats that docling-serve reads except text. */
export const FORMATS: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.docx': `${OPEN_XML}.wordprocessingml.document`,
  '.dotx': `${OPEN_XML}.wordprocessingml.template`,
  '.docm': 'application/vnd.ms-word.document.macroenabled.12',
  '.doc': 'application/msword',
  '.pptx': `${OPEN_XML}.presentationml.presentation`,
  '.potx': `${OPEN_XML}.presentationml.template`,
  '.ppsx': `${OPEN_XML}.presentationml.slideshow`,
  '.pptm': 'application/vnd.ms-powerpoint.presentation.macroenabled.12',
  '.ppt': 'application/vnd.ms-powerpoint',
  '.xlsx': `${OPEN_XML}.spreadsheetml.sheet`,
  '.xlsm': 'application/vnd.ms-excel.sheet.macroenabled.12',
  '.xls': 'application/vnd.ms-excel',
  '.odt': `${OPEN_DOCUMENT}.text`,
  '.ods': `${OPEN_DOCUMENT}.spreadsheet`,
  '.odp': `${OPEN_DOCUMENT}.presentation`,
  '.epub': 'application/epub+zip',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.tif': 'image/tiff',
  '.tiff': 'image/tiff',
  '.bmp': 'image/bmp',
  '.webp': 'image/webp',
};

export default {
  kind: 'reader',
  name: 'docling',
  summary: 'PDF, Office, OpenDocument, e-books and images as Markdown, through your docling-serve.',
  formats: { extensions: Object.keys(FORMATS), mediaTypes: [...new Set(Object.values(FORMATS))] },
  needs: { env: ['DOCLING_URL'] },
  urls: ['DOCLING_URL'],
  reads: ['DOCLING_API_KEY'],
  light: true,
} as const satisfies Manifest;
