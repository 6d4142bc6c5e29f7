import fc from 'fast-check';
import type { SourceFile } from '../../../core/contracts/reader.ts';
import { anyText } from './texts.ts';

/**
 * Files that readers may get: texts in several encodings, intact and damaged, the beginnings of other formats,
 * arbitrary bytes.
 */

const BEGINNINGS = [
  '%PDF-1.7\n',
  'PK\u0003\u0004',
  '\u0089PNG\r\n\u001a\n',
  '\u00ff\u00d8\u00ff',
  '{\\rtf1\\ansi ',
];
const CHARSETS = ['utf-8', 'UTF-16LE', 'windows-1252', 'iso-8859-15', 'shift_jis', 'no-such-charset', ''];

const encoded = fc
  .tuple(anyText, fc.constantFrom<BufferEncoding>('utf8', 'utf8', 'utf16le', 'latin1'), fc.boolean())
  .map(([text, encoding, hasMark]) => Buffer.from(hasMark ? `\ufeff${text}` : text, encoding));

const formatted = fc
  .tuple(fc.constantFrom(...BEGINNINGS), fc.uint8Array({ maxLength: 200 }))
  .map(([beginning, rest]) => Buffer.concat([Buffer.from(beginning, 'latin1'), rest]));

/** A file with a part removed, and something else in its place. */
const damaged = fc
  .tuple(fc.oneof(encoded, formatted), fc.nat(), fc.nat(30), fc.uint8Array({ maxLength: 3 }))
  .map(([bytes, at, length, other]) => {
    const start = at % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, start), other, bytes.subarray(start + length)]);
  });

const anyBytes = fc.oneof(
  { weight: 6, arbitrary: encoded },
  { weight: 3, arbitrary: damaged },
  { weight: 1, arbitrary: formatted },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
  { weight: 1, arbitrary: fc.constant(new Uint8Array()) },
);

/** Files of formats, by file extension or by media type; at least one of them is given. */
export function anyFile(formats: {
  readonly extensions: readonly string[];
  readonly mediaTypes: readonly string[];
}): fc.Arbitrary<SourceFile> {
  const named = formats.extensions.map((extension) => ({ name: `file${extension}`, mediaType: undefined }));
  const typed = formats.mediaTypes.map((type) => ({ name: undefined, mediaType: exampleOf(type) }));
  const sent = fc.constantFrom(...named, ...typed);
  const charset = fc.option(fc.constantFrom(...CHARSETS), { nil: undefined, freq: 4 });
  return fc
    .tuple(anyBytes, sent, charset)
    .map(([bytes, one, charset]) => ({ bytes: Uint8Array.from(bytes), charset, ...one }));
}

/** A media type that matches a pattern such as `text/*`. */
const exampleOf = (type: string): string =>
  type.replace('*/*', 'application/octet-stream').replace('*', 'plain');
