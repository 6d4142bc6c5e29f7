import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { SinkChunk } from '../../../../core/contracts/sink.ts';
import { decimalOf } from '../../../../plugins/toolkit/json/exact-json.ts';

export const DIMENSIONS = 3;

const PIECES = [
  ['Tea. ', '😀', '这是一个句子。', 'it\'s "quoted" \\ ', '\n'],
  ['é', '$1; -- ', '{"index":{}}\n', '\u2028', ''],
].flat();
const anyText = fc.array(fc.constantFrom(...PIECES), { maxLength: 20 }).map((pieces) => pieces.join(''));
const anyNumber = fc.float({ min: -1, max: 1, noNaN: true });
/** Generates metadata without NUL characters, which another check covers. */
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

export const anyChunk = fc.record({
  text: anyText,
  embedding: fc.tuple(fc.constant(1), anyNumber, anyNumber).map((numbers) => Float32Array.from(numbers)),
  fields: anyFields,
});

export function chunkOf(document_id: string, more: Partial<SinkChunk> = {}): SinkChunk {
  const fields = { start_index: 0, end_index: 3, token_count: 1, metadata: { tags: ['a', { b: null }] } };
  return {
    id: randomUUID(),
    document_id,
    text: 'Tea',
    embedding: Float32Array.of(1, 0.5, 0),
    fields,
    ...more,
  };
}

/** Whether two lists have equal chunks, in any order. Numbers in fields must have equal digits. */
export function areSame(some: readonly SinkChunk[], others: readonly SinkChunk[]): boolean {
  const these = some.toSorted(byId);
  const those = others.toSorted(byId);
  return (
    isDeepStrictEqual(these.map(plain), those.map(plain)) &&
    these.every(({ embedding }, at) => areClose(embedding, those[at]?.embedding ?? null))
  );
}

const byId = (one: SinkChunk, other: SinkChunk): number => one.id.localeCompare(other.id);

function plain({ id, document_id, text, fields }: SinkChunk): object {
  const exact = JSON.parse(JSON.stringify(fields ?? null), withDigits as Parameters<typeof JSON.parse>[1]);
  return { id, document_id, text, fields: exact };
}

function withDigits(_: string, value: unknown, { source }: { readonly source: string }): unknown {
  return typeof value === 'number' ? { number: decimalOf(source) } : value;
}

/** Compares vectors with a tolerance, because databases store 32-bit numbers, and some normalise vectors. */
function areClose(one: ArrayLike<number> | null, other: ArrayLike<number> | null): boolean {
  if (one === null || other === null) return one === other;
  const isClose = (value: number, at: number) =>
    Math.abs(value - (other[at] ?? 0)) <= 1e-6 * Math.max(1, Math.abs(value));
  return one.length === other.length && Array.from(one).every(isClose);
}
