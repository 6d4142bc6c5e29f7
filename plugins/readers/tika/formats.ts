import type { SourceFile } from '../../../core/contracts/reader.ts';

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

/** What Tika reads besides text, without OCR: the media type of each ending. */
const FORMATS: Readonly<Record<string, string>> = {
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

export const EXTENSIONS: readonly string[] = Object.keys(FORMATS);
export const MEDIA_TYPES: readonly string[] = [...new Set([...Object.values(FORMATS), 'text/rtf'])];

/** The ending that says what a file is: that of its name, or one of its media type. Empty if neither is known. */
export function extensionOf({ name = '', mediaType }: SourceFile): string {
  const lower = name.toLowerCase();
  const named = EXTENSIONS.find((extension) => lower.endsWith(extension));
  return named ?? EXTENSIONS.find((extension) => FORMATS[extension] === mediaType) ?? '';
}
