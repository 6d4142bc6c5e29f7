import type { SourceFile } from '../contracts/reader.ts';

/** Media types by file extension; if several extensions have the same one, the usual extension comes first. */
export type FileFormats = Readonly<Record<string, string>>;

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

/** The formats that converters of office documents read. */
export const officeFormats: FileFormats = {
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
};

/**
 * The extension that identifies the format of a file: from its name, or for its media type. Empty if neither is
 * known.
 */
export function extensionOf({ name = '', mediaType }: SourceFile, formats: FileFormats): string {
  const lower = name.toLowerCase();
  const extensions = Object.keys(formats);
  const named = extensions.find((extension) => lower.endsWith(extension));
  return named ?? extensions.find((extension) => formats[extension] === mediaType) ?? '';
}
