import { createHash, hash } from 'node:crypto';
import type { Span } from '../core/contracts.ts';
import type { PipelineStep } from '../core/pipeline.ts';

/**
 * Makes the function that names the chunks of one document under one pipeline. A name is a UUID of
 * version 8 (RFC 9562) that follows from the steps, the document's text and the chunk's place in it, so
 * that a second run updates a vector store instead of doubling it.
 */
export function createIdentify(steps: readonly PipelineStep[], text: string): (span: Span) => string {
  const seed = createHash('sha256')
    .update(JSON.stringify(sorted(steps)))
    .update(text, 'utf16le')
    .digest('hex');
  return ({ start, end }) => toUuid(hash('sha256', `${seed} ${start} ${end}`));
}

/** The same value with the members of objects in order, so that only what it says counts. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([name, member]) => [name, sorted(member)]);
}

function toUuid(hex: string): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
