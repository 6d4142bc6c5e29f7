import { hash } from 'node:crypto';
import type { JsonText } from '../wire/json-text.ts';

const BYTES = 16;
/** Bytes of a SHA-256. */
const HASH_BYTES = 32;
/** Characters of a UUID, with its hyphens. */
const LETTERS = 36;
const VERSION_AT = 6;
const VARIANT_AT = 8;
const HYPHENS_AT = [4, 6, 8, 10];
const HYPHEN = 0x2d;
const DIGITS = Buffer.from('0123456789abcdef');

/** What the ids of the chunks of a text without an id are derived from; made by `chunkIdSeed`. */
export type Seed = Uint8Array;

/**
 * Digests the steps that make chunks of a text, and the text, in one call each: a `Hash` object would keep the strings of its
 * request alive until the whole heap is collected.
 *
 * @param text the document's text as canonical JSON
 */
export function chunkIdSeed(steps: readonly object[], text: JsonText): Seed {
  const head = Buffer.from(`${JSON.stringify(sorted(steps))}\n`);
  return hash('blake2b512', Buffer.concat([head, hash('sha512', text, 'buffer')]), 'buffer');
}

/**
 * Ids of the chunks of a text without an id: UUIDs of version 8 (RFC 9562), derived from the steps, the text and the
 * chunk's place among its chunks. The same text through the same steps gives the same ids, so that a second run
 * updates a vector store instead of doubling it; equal chunks of one text, and of different ones, are told apart.
 */
export function chunkIds(seed: Seed, count: number): string[] {
  if (count === 0) return [];
  return toUuids(hash('shake256', seed, { outputEncoding: 'buffer', outputLength: count * BYTES }));
}

/** SHA-256 of a text in UTF-8; half a surrogate pair that stands alone counts as U+FFFD. */
export function contentHash(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/**
 * Ids of the chunks of a document that has an id: UUIDs of version 8 (RFC 9562), the first 16 bytes of a SHA-256 over
 * four parts one after the other: the SHA-256 of the namespace, that of the document's id, the chunk's hash, and how many
 * chunks with that hash come before it in the document, as eight bytes with the highest first. So an edit keeps the ids of
 * the chunks that it does not touch, and a passage that stands twice has two ids.
 *
 * @param hashes those of the chunks in their order, by `contentHash`
 */
export function documentChunkIds(namespace: string, documentId: string, hashes: readonly Buffer[]): string[] {
  const parts = Buffer.alloc(3 * HASH_BYTES + 8);
  contentHash(namespace).copy(parts);
  contentHash(documentId).copy(parts, HASH_BYTES);
  const seen = new Map<string, number>();
  const ids = Buffer.alloc(hashes.length * BYTES);
  hashes.forEach((own, index) => {
    const key = own.toString('latin1');
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    own.copy(parts, 2 * HASH_BYTES);
    parts.writeUInt32BE(before, parts.length - 4);
    hash('sha256', parts, 'buffer').copy(ids, index * BYTES, 0, BYTES);
  });
  return toUuids(ids);
}

/** The same value with the members of objects sorted, so that their order makes no difference. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([name, member]) => [name, sorted(member)]);
}

/** UUIDs of random bytes, cut from one string: strings for the groups of each would cost more. */
function toUuids(random: Buffer): string[] {
  const letters = Buffer.alloc((random.length / BYTES) * LETTERS);
  let at = 0;
  for (let index = 0; index < random.length; index++) {
    const place = index % BYTES;
    const byte = withMark(random[index] as number, place);
    if (HYPHENS_AT.includes(place)) letters[at++] = HYPHEN;
    letters[at++] = DIGITS[byte >> 4] as number;
    letters[at++] = DIGITS[byte & 0x0f] as number;
  }
  const all = letters.toString('latin1');
  const count = random.length / BYTES;
  return Array.from({ length: count }, (_, index) => all.slice(index * LETTERS, (index + 1) * LETTERS));
}

/** A byte of a UUID, with the bits of its version, 8, or of its variant set at their places. */
function withMark(byte: number, place: number): number {
  if (place === VERSION_AT) return 0x80 | (byte & 0x0f);
  if (place === VARIANT_AT) return 0x80 | (byte & 0x3f);
  return byte;
}
