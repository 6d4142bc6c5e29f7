import type { SourceFile } from '../../../core/contracts/reader.ts';

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

/** What docling-serve reads besides text: the media type of each ending. */
const FORMATS: Readonly<Record<string, string>> = {
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

/** Formats that have pages even if there is one only. */
const PAGED = new Set(['.pdf', '.pptx', '.ppt', '.odp']);

export const EXTENSIONS: readonly string[] = Object.keys(FORMATS);
export const MEDIA_TYPES: readonly string[] = [...new Set(Object.values(FORMATS))];

/** The ending that says what a file is: that of its name, or one of its media type. Empty if neither is known. */
export function extensionOf({ name = '', mediaType }: SourceFile): string {
  const lower = name.toLowerCase();
  const named = EXTENSIONS.find((extension) => lower.endsWith(extension));
  return named ?? EXTENSIONS.find((extension) => FORMATS[extension] === mediaType) ?? '';
}

export const mediaTypeOf = (extension: string): string => FORMATS[extension] ?? 'application/octet-stream';

export const isPaged = (extension: string): boolean => PAGED.has(extension);
