import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { SinkChunk } from '../../../../core/contracts/sink.ts';

/** Chunks as pipelines make them, and their comparison. */

export const DIMENSIONS = 3;

const PIECES = [
  'Tea. ',
  '😀',
  '这是一个句子。',
  'it\'s "quoted" \\ ',
  '\n',
  'é',
  '$1; -- ',
  '{"index":{}}\n',
  '\u2028',
  '',
];
const anyText = fc.array(fc.constantFrom(...PIECES), { maxLength: 20 }).map((pieces) => pieces.join(''));
const anyNumber = fc.float({ min: -1, max: 1, noNaN: true });
/** Without the character NUL, which is checked by itself. */
const anyMetadata = fc
  .dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 3 }))
  .filter((metadata) => !JSON.stringify(metadata).includes('\\u0000'));
const anyFields = fc.record(
  {
    start_index: fc.nat(),
    end_index: fc.nat(),
    token_count: fc.nat(),
    metadata: anyMetadata,
    headings: fc.array(anyText, { maxLength: 2 }),
    context: anyText,
  },
  { requiredKeys: ['start_index', 'end_index', 'token_count'] },
);

/** A chunk without its ids. */
export const anyChunk = fc.record({
  text: anyText,
  embedding: fc.tuple(fc.constant(1), anyNumber, anyNumber),
  fields: anyFields,
});

/** A simple chunk of a document. */
export function chunkOf(document_id: string, more: Partial<SinkChunk> = {}): SinkChunk {
  const fields = { start_index: 0, end_index: 3, token_count: 1, metadata: { tags: ['a', { b: null }] } };
  return { id: randomUUID(), document_id, text: 'Tea', embedding: [1, 0.5, 0], fields, ...more };
}

/** Whether two lists have the same chunks, in any order; vectors are compared as 32-bit numbers. */
export function areSame(some: readonly SinkChunk[], others: readonly SinkChunk[]): boolean {
  return isDeepStrictEqual(some.map(plain).sort(byId), others.map(plain).sort(byId));
}

const byId = (one: SinkChunk, other: SinkChunk): number => one.id.localeCompare(other.id);

function plain({ id, document_id, text, embedding, fields }: SinkChunk): SinkChunk {
  const rounded = embedding === null ? null : embedding.map((value) => Math.fround(value) + 0);
  return { id, document_id, text, embedding: rounded, fields: JSON.parse(JSON.stringify(fields ?? null)) };
}
