import fc from 'fast-check';
import t from 'tap';
import { Nearest } from '../../../../server/engine/operations/evaluation/ranking.ts';
import { scoresOf, united } from '../../../../server/engine/operations/evaluation/scores.ts';
import { countedScores, type Stretch } from '../../../support/evaluation.ts';

/** The nearest chunks, and their scores, against the plainest way to work them out. */

const stretch = fc.tuple(fc.nat(40), fc.nat(12)).map(([start, length]): Stretch => [start, start + length]);
const stretches = fc.array(stretch, { maxLength: 8 });
const rangesOf = (all: readonly Stretch[]) => all.map(([start, end]) => ({ start, end }));

t.test('united ranges are the same characters, rising and apart, and scores those of counting', async (t) => {
  fc.assert(
    fc.property(stretches, stretches, fc.infiniteStream(fc.boolean()), (answers, all, isFound) => {
      const answer = united(rangesOf(answers));
      if (!answer.every(({ start, end }, at) => start < end && start > (answer[at - 1]?.end ?? -1)))
        return false;
      if (answer.length === 0) return answers.every(([start, end]) => start === end);
      const found = all.filter(() => isFound.next().value === true);
      const counted = Object.entries(countedScores(answers, found, all));
      const scores = scoresOf(answer, rangesOf(found), rangesOf(all));
      return counted.every(([name, value]) => Math.abs(scores[name as 'recall'] - value) < 1e-6);
    }),
  );
  // What two chunks repeat counts once in the answer and twice in what was found; a chunk may adjoin it.
  const all: Stretch[] = [
    [0, 8],
    [4, 12],
    [8, 20],
  ];
  const scores = scoresOf([{ start: 4, end: 8 }], rangesOf(all.slice(0, 2)), rangesOf(all));
  t.same(scores, { recall: 1, precision: 4 / 16, iou: 4 / 16, precision_at_full_recall: 4 / 12 });
});

const signal = AbortSignal.any([]);
// Few different numbers, so that many chunks are equally near.
const vector = fc.tuple(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -2, max: 2 }));
const vectors = (all: readonly (readonly number[])[]) => ({
  dimensions: 2,
  values: Float32Array.from(all.flat()),
});

function cosine([a = 0, b = 0]: readonly number[], [c = 0, d = 0]: readonly number[]): number {
  const length = Math.sqrt(a * a + b * b) * Math.sqrt(c * c + d * d);
  return length === 0 ? 0 : (a * c + b * d) / length;
}

t.test('the nearest are those of sorting all, the first of equals first, however added', async (t) => {
  const some = fc.array(vector, { minLength: 1, maxLength: 4 });
  const batches = fc.array(fc.array(vector, { maxLength: 5 }), { maxLength: 4 });
  fc.assert(
    fc.property(some, batches, fc.integer({ min: 1, max: 6 }), (questions, added, most) => {
      const nearest = new Nearest(vectors(questions), questions.length, most);
      for (const batch of added) nearest.add(vectors(batch), batch.length, signal);
      for (const [index, question] of questions.entries()) {
        const all = added.flat().map((one, chunk) => ({ chunk, score: cosine(question, one) }));
        const expected = all.sort((a, b) => b.score - a.score).slice(0, most);
        if (JSON.stringify(nearest.of(index)) !== JSON.stringify(expected)) return false;
      }
      return true;
    }),
  );
  const [nearest, reason] = [new Nearest(vectors([[1, 0]]), 1, 1), new Error('stopped')];
  t.throws(() => nearest.add(vectors([[1, 0]]), 1, AbortSignal.abort(reason)), reason);
});
