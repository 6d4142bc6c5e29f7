interface Signature {
  readonly name: string;
  /** The bytes that such a file begins with, as Latin-1. */
  readonly start: string;
  /** A text may begin so too: it counts only where there are bytes NUL. */
  readonly isWeak?: boolean;
}

const SIGNATURES: readonly Signature[] = [
  { name: 'a PDF', start: '%PDF-' },
  { name: 'an RTF document', start: '{\\rtf' },
  { name: 'a ZIP archive, as Office documents and e-books are', start: 'PK\u0003\u0004' },
  { name: 'an older Office document', start: '\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1' },
  { name: 'a PNG image', start: '\u0089PNG\r\n\u001a\n' },
  { name: 'a JPEG image', start: '\u00ff\u00d8\u00ff' },
  { name: 'a GIF image', start: 'GIF8', isWeak: true },
  { name: 'a TIFF image', start: 'II*\0' },
  { name: 'a TIFF image', start: 'MM\0*' },
  { name: 'a WebP image or a WAV or AVI file', start: 'RIFF', isWeak: true },
  { name: 'an MP3 file', start: 'ID3', isWeak: true },
  { name: 'a gzip archive', start: '\u001f\u008b' },
  { name: 'a bzip2 archive', start: 'BZh', isWeak: true },
  { name: 'a 7z archive', start: '7z\u00bc\u00af\u0027\u001c' },
  { name: 'a zstd archive', start: '(\u00b5/\u00fd' },
  { name: 'an SQLite database', start: 'SQLite format 3\0' },
  { name: 'a program', start: '\u007fELF' },
  { name: 'a program', start: 'MZ', isWeak: true },
  { name: 'a WebAssembly module', start: '\0asm' },
];

/** How much of a file is compared. */
const LONGEST_START = 16;

/** What a file is that is no text; nothing if it may be one. */
export function describeBinary(bytes: Uint8Array, hasNul: boolean): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, LONGEST_START));
  const found = SIGNATURES.find((one) => start.startsWith(one.start) && (hasNul || one.isWeak !== true));
  return found?.name ?? (hasNul ? 'a binary file: it has NUL bytes' : undefined);
}
