import type { SourceFile } from '../../../core/contracts/reader.ts';
import { FORMATS } from './manifest.ts';

const EXTENSIONS = Object.keys(FORMATS);

/** The ending that says what a file is: that of its name, or one of its media type. Empty if neither is known. */
export function extensionOf({ name = '', mediaType }: SourceFile): string {
  const lower = name.toLowerCase();
  const named = EXTENSIONS.find((extension) => lower.endsWith(extension));
  return named ?? EXTENSIONS.find((extension) => FORMATS[extension] === mediaType) ?? '';
}
