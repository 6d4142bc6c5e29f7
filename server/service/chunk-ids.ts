import { hash } from 'node:crypto';
import type { PipelineStep } from '../store/contract.ts';
import type { JsonText } from '../wire/json-text.ts';

const BYTES = 16;
/** Characters of a UUID, with its hyphens. */
const LETTERS = 36;
const VERSION_AT = 6;
const VARIANT_AT = 8;
const HYPHENS_AT = [4, 6, 8, 10];
const HYPHEN = 0x2d;
const DIGITS = Buffer.from('0123456789abcdef');

/** What the ids of a document's chunks are derived from; made by `chunkIdSeed`. */
export type Seed = Uint8Array;

/**
 * Digests the steps of a pipeline and a document, in one call each: a `Hash` object would keep the strings of its
 * request alive until the whole heap is collected.
 *
 * @param text the document's text as canonical JSON
 */
export function chunkIdSeed(steps: readonly PipelineStep[], text: JsonText): Seed {
  const head = Buffer.from(`${JSON.stringify(sorted(steps))}\n`);
  return hash('blake2b512', Buffer.concat([head, hash('sha512', text, 'buffer')]), 'buffer');
}

/**
 * Ids of the chunks that a pipeline makes of one document: UUIDs of version 8 (RFC 9562), derived from the
 * steps, the document's text and the chunk's place among its chunks. The same text through the same steps
 * gives the same ids, so that a second run updates a vector store instead of doubling it; equal
 * chunks of one document, and of different ones, are told apart.
 */
export function chunkIds(seed: Seed, count: number): string[] {
  if (count === 0) return [];
  const uuids = toUuids(hash('shake256', seed, { outputEncoding: 'buffer', outputLength: count * BYTES }));
  return Array.from({ length: count }, (_, index) => uuids.slice(index * LETTERS, (index + 1) * LETTERS));
}

/** The same value with the members of objects sorted, so that their order makes no difference. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([name, member]) => [name, sorted(member)]);
}

/** UUIDs of random bytes as one string: strings for the groups of each UUID would cost more. */
function toUuids(random: Buffer): string {
  const letters = Buffer.alloc((random.length / BYTES) * LETTERS);
  let at = 0;
  for (let index = 0; index < random.length; index++) {
    const place = index % BYTES;
    const byte = withMark(random[index] as number, place);
    if (HYPHENS_AT.includes(place)) letters[at++] = HYPHEN;
    letters[at++] = DIGITS[byte >> 4] as number;
    letters[at++] = DIGITS[byte & 0x0f] as number;
  }
  return letters.toString('latin1');
}

/** A byte of a UUID, with the bits of its version, 8, or of its variant set at their places. */
function withMark(byte: number, place: number): number {
  if (place === VERSION_AT) return 0x80 | (byte & 0x0f);
  if (place === VARIANT_AT) return 0x80 | (byte & 0x3f);
  return byte;
}
