import { hash } from 'node:crypto';
import { toUuid } from '../../core/engine/uuid.ts';
import type { JsonText } from '../wire/json-text.ts';
import { canonicalJson } from './canonical-json.ts';

const BYTES = 16;
/** Bytes of a SHA-256. */
const HASH_BYTES = 32;

/** What the ids of the chunks of a text without an id are derived from; made by `chunkIdSeed`. */
export type Seed = Uint8Array;

/**
 * Digests the steps that make chunks of a text, and the text, in one call each: a `Hash` object would keep the strings of its
 * request alive until the whole heap is collected.
 *
 * @param text the document's text as canonical JSON
 */
export function chunkIdSeed(steps: readonly object[], text: JsonText): Seed {
  const head = Buffer.from(`${canonicalJson(steps)}\n`);
  return hash('blake2b512', Buffer.concat([head, hash('sha512', text, 'buffer')]), 'buffer');
}

/**
 * Ids of the chunks of a text without an id: UUIDs of version 8 (RFC 9562), derived from the steps, the text and the
 * chunk's place among its chunks. The same text through the same steps gives the same ids, so that a second run
 * updates a vector store instead of doubling it; equal chunks of one text, and of different ones, are told apart.
 */
export function chunkIds(seed: Seed, count: number): string[] {
  if (count === 0) return [];
  const digits = hash('shake256', seed, { outputEncoding: 'hex', outputLength: count * BYTES });
  return Array.from({ length: count }, (_, index) => toUuid(digits, index * 2 * BYTES));
}

/** SHA-256 of a text in UTF-8, in hexadecimal; half a surrogate pair that stands alone counts as U+FFFD. */
export function contentHash(text: string): string {
  return hash('sha256', text, 'hex');
}

/**
 * Ids of the chunks of a document that has an id: UUIDs of version 8 (RFC 9562), the first 16 bytes of a SHA-256 over
 * four parts one after the other: the SHA-256 of the namespace, that of the document's id, the chunk's hash, and how many
 * chunks with that hash come before it in the document, as eight bytes with the highest first. So an edit keeps the ids of
 * the chunks that it does not touch, and a passage that stands twice has two ids.
 *
 * @param hashes those of the chunks in their order, by `contentHash`
 */
export function documentChunkIds(namespace: string, documentId: string, hashes: readonly string[]): string[] {
  const parts = Buffer.alloc(3 * HASH_BYTES + 8);
  parts.write(contentHash(namespace), 'hex');
  parts.write(contentHash(documentId), HASH_BYTES, 'hex');
  const seen = new Map<string, number>();
  return hashes.map((own) => {
    const before = seen.get(own) ?? 0;
    seen.set(own, before + 1);
    parts.write(own, 2 * HASH_BYTES, 'hex');
    parts.writeUInt32BE(before, parts.length - 4);
    return toUuid(hash('sha256', parts, 'hex'));
  });
}
