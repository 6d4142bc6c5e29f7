import { createHash } from 'node:crypto';
import type { PipelineStep } from '../core/pipeline.ts';

const BYTES = 16;

/**
 * Names the chunks that a pipeline makes of one document: UUIDs of version 8 (RFC 9562) that follow from
 * the steps, the document's text and the chunk's place among its chunks. The same text through the same
 * steps gives the same names, so that a second run updates a vector store instead of doubling it; equal
 * chunks of one document, and of different ones, are told apart.
 */
export function nameChunks(steps: readonly PipelineStep[], text: string, count: number): string[] {
  if (count === 0) return [];
  const seed = createHash('blake2b512')
    .update(JSON.stringify(sorted(steps)))
    .update('\n')
    .update(Buffer.from(text, 'utf16le'))
    .digest();
  const bytes = createHash('shake256', { outputLength: count * BYTES })
    .update(seed)
    .digest();
  return Array.from({ length: count }, (_, index) =>
    toUuid(bytes.subarray(index * BYTES, (index + 1) * BYTES)),
  );
}

/** The same value with the members of objects in order, so that only what it says counts. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([name, member]) => [name, sorted(member)]);
}

function toUuid(bytes: Buffer): string {
  bytes[6] = 0x80 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
