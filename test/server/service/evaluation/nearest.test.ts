import fc from 'fast-check';
import t from 'tap';
import { Nearest } from '../../../../server/service/evaluation/nearest.ts';

const DIMENSIONS = 2;
const { signal } = new AbortController();
// Few different numbers, so that many chunks are equally near.
const vector = fc.tuple(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -2, max: 2 }));
const vectors = (all: readonly (readonly number[])[]) => ({
  dimensions: DIMENSIONS,
  values: Float32Array.from(all.flat()),
});

function cosine([a = 0, b = 0]: readonly number[], [c = 0, d = 0]: readonly number[]): number {
  const length = Math.sqrt(a * a + b * b) * Math.sqrt(c * c + d * d);
  return length === 0 ? 0 : (a * c + b * d) / length;
}

t.test(
  'the nearest are those of sorting all, the first of equals first, however they are added',
  async () => {
    const some = fc.array(vector, { minLength: 1, maxLength: 4 });
    const batches = fc.array(fc.array(vector, { maxLength: 5 }), { maxLength: 4 });
    fc.assert(
      fc.property(some, batches, fc.integer({ min: 1, max: 6 }), (questions, added, most) => {
        const nearest = new Nearest(vectors(questions), questions.length, most);
        for (const batch of added) nearest.add(vectors(batch), batch.length, signal);
        const chunks = added.flat();
        for (const [index, question] of questions.entries()) {
          const all = chunks.map((one, chunk) => ({ chunk, score: cosine(question, one) }));
          const expected = all.sort((a, b) => b.score - a.score).slice(0, most);
          if (JSON.stringify(nearest.of(index)) !== JSON.stringify(expected)) return false;
        }
        return true;
      }),
    );
  },
);

t.test('it stops between two questions once its signal aborts', async (t) => {
  const reason = new Error('stopped');
  const nearest = new Nearest(vectors([[1, 0]]), 1, 1);
  t.throws(() => nearest.add(vectors([[1, 0]]), 1, AbortSignal.abort(reason)), reason);
});
