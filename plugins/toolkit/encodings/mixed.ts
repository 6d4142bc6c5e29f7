import type { Decoded, Inferred } from './decode.ts';

/**
 * A text in UTF-8 has at least this many characters of several bytes for each byte that is invalid. Texts in other
 * encodings have at most one for four.
 */
const MIN_VALID_PER_ODD = 2;
const MIN_VALID = 3;

/**
 * Decodes UTF-8 in which a few bytes are invalid, as where pages were put together or cut. Those are read as
 * windows-1252, the usual encoding of such bytes. Returns undefined if they are not few.
 */
export function decodeMixed(bytes: Uint8Array): (Decoded & { readonly inferred: Inferred }) | undefined {
  const odd: number[] = [];
  let valid = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes, at);
    if (length > 1) valid++;
    else if (length === 0) odd.push(at);
    at += Math.max(length, 1);
  }
  if (valid < MIN_VALID || odd.length * MIN_VALID_PER_ODD > valid) return undefined;
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const western = new TextDecoder('windows-1252');
  const parts: string[] = [];
  let done = 0;
  for (const at of odd) {
    parts.push(utf8.decode(bytes.subarray(done, at)), western.decode(bytes.subarray(at, at + 1)));
    done = at + 1;
  }
  parts.push(utf8.decode(bytes.subarray(done)));
  const confidence = valid / (valid + odd.length);
  return { text: parts.join(''), encoding: 'utf-8', inferred: { confidence, odd: odd.length } };
}

/** Bounds of the second byte where it is narrower than that of others: no overlong forms, surrogates, or beyond. */
const SECOND: ReadonlyMap<number, readonly [from: number, to: number]> = new Map([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
]);

/** The length of the character of UTF-8 at an offset; 0 if the byte begins none. */
function lengthAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (let next = 1; next < length; next++) {
    const byte = bytes[at + next] ?? 0;
    const [from, to] = (next === 1 ? SECOND.get(first) : undefined) ?? [0x80, 0xbf];
    if (byte < from || byte > to) return 0;
  }
  return length;
}
