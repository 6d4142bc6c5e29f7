import fc from 'fast-check';
import t from 'tap';
import type { SinkChunk } from '../../../core/contracts/sink.ts';
import { batchChunks } from '../../../plugins/toolkit/chunk-batches.ts';

const chunk = (more: Partial<SinkChunk> = {}): SinkChunk => ({
  id: 'a',
  document_id: 'd',
  text: 'Tea',
  embedding: Float32Array.of(1, 0),
  fields: {},
  ...more,
});
const LIMITS = { dimensions: 2, chunks: 3, bytes: 400 };

t.test('batches are within their limits, and joined the last chunks of each id, in order', async () => {
  const anyChunk = fc.record({ id: fc.constantFrom(...'abcdefghij'), text: fc.string({ maxLength: 150 }) });
  const holds = fc.property(fc.array(anyChunk), (given) => {
    const chunks = given.map((one) => chunk(one));
    const batches = batchChunks(chunks, LIMITS);
    const joined = batches.flat();
    const ids = [...new Set(chunks.map(({ id }) => id))];
    const isRight = ids.every((id, at) => joined[at] === chunks.findLast((one) => one.id === id));
    const areSmall = batches.every(
      (batch) =>
        batch.length > 0 &&
        batch.length <= LIMITS.chunks &&
        (batch.length === 1 || batch.reduce((sum, { text }) => sum + text.length * 2, 0) <= LIMITS.bytes),
    );
    if (joined.length !== ids.length || !isRight || !areSmall) throw new Error('not so');
  });
  fc.assert(holds);
});

t.test('a chunk that is too large alone is a batch by itself', async (t) => {
  const large = chunk({ id: 'b', text: 'x'.repeat(1000) });
  const batches = batchChunks([chunk(), large, chunk({ id: 'c' })], LIMITS);
  const ids = batches.map((batch) => batch.map(({ id }) => id));
  t.same(ids, [['a'], ['b'], ['c']]);
  t.same(batchChunks([], LIMITS), []);
});

t.test('vectors have the length that was announced', async (t) => {
  const none = { ...LIMITS, dimensions: undefined };
  t.throws(() => batchChunks([chunk({ embedding: Float32Array.of(1) })], LIMITS), {
    expose: true,
    message: /a has a vector of 1 dimensions, but one of 2 is expected/,
  });
  t.throws(() => batchChunks([chunk({ embedding: null })], LIMITS), {
    message: /has no vector, but one of 2/,
  });
  t.throws(() => batchChunks([chunk()], none), { message: /but none is expected/ });
  t.equal(batchChunks([chunk({ embedding: null })], none).length, 1);
});

t.test('half of a surrogate pair is refused wherever it stands, what looks like one is not', async (t) => {
  for (const more of [
    { text: 'a\ud83d' },
    { document_id: '\ude00' },
    { fields: { metadata: { a: ['\ud83d'] } } },
    { fields: { '\ude00': 1 } },
    { fields: { a: '\\\\\ud83d' } },
  ])
    t.throws(() => batchChunks([chunk(more)], LIMITS), {
      expose: true,
      message: /half of a surrogate pair/,
    });
  for (const a of ['\\ud83d', '\\\\ud83d', '😀', '\\😀'])
    t.equal(batchChunks([chunk({ text: a, fields: { a } })], LIMITS).length, 1, a);
});
