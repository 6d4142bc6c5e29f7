import { hash } from 'node:crypto';
import type { JsonText } from '../core/json-text.ts';
import type { PipelineStep } from '../core/pipeline.ts';

const BYTES = 16;

/** What the names of a document's chunks follow from; made by `seedOf`. */
export type Seed = Uint8Array;

/**
 * Digests the steps of a pipeline and a document. Both are digested in one call each: a `Hash` object is
 * garbage that keeps the strings of its request until a collection of the whole heap.
 *
 * @param text the document's text as canonical JSON
 */
export function seedOf(steps: readonly PipelineStep[], text: JsonText): Seed {
  const head = Buffer.from(`${JSON.stringify(sorted(steps))}\n`);
  return hash('blake2b512', Buffer.concat([head, hash('sha512', text, 'buffer')]), 'buffer');
}

/**
 * Names the chunks that a pipeline makes of one document: UUIDs of version 8 (RFC 9562) that follow from
 * the steps, the document's text and the chunk's place among its chunks. The same text through the same
 * steps gives the same names, so that a second run updates a vector store instead of doubling it; equal
 * chunks of one document, and of different ones, are told apart.
 */
export function nameChunks(seed: Seed, count: number): string[] {
  if (count === 0) return [];
  const hex = hash('shake256', seed, { outputEncoding: 'hex', outputLength: count * BYTES });
  return Array.from({ length: count }, (_, index) =>
    toUuid(hex.slice(index * 2 * BYTES, (index + 1) * 2 * BYTES)),
  );
}

/** The same value with the members of objects in order, so that only what it says counts. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([name, member]) => [name, sorted(member)]);
}

function toUuid(hex: string): string {
  const variant = '89ab'[Number.parseInt(hex[16] as string, 16) & 3] as string;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
