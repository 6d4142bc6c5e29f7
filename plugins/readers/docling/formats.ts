import type { SourceFile } from '../../../core/contracts/reader.ts';
import { FORMATS } from './manifest.ts';

/** Formats that have pages even if there is one only. */
const PAGED = new Set(['.pdf', '.pptx', '.ppt', '.odp']);

const EXTENSIONS = Object.keys(FORMATS);

/** The ending that says what a file is: that of its name, or one of its media type. Empty if neither is known. */
export function extensionOf({ name = '', mediaType }: SourceFile): string {
  const lower = name.toLowerCase();
  const named = EXTENSIONS.find((extension) => lower.endsWith(extension));
  return named ?? EXTENSIONS.find((extension) => FORMATS[extension] === mediaType) ?? '';
}

export const mediaTypeOf = (extension: string): string => FORMATS[extension] ?? 'application/octet-stream';

export const isPaged = (extension: string): boolean => PAGED.has(extension);
