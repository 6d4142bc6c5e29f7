import fc from 'fast-check';
import t from 'tap';
import { MergeQueue } from '../../../../plugins/tokenizers/tiktoken/pieces/merge-queue.ts';

const RANKS = 5;
const PLACES = 8;
const MOST = 64;

/** A pair to add, or `undefined` to take one. */
const steps = fc.array(
  fc.option(fc.record({ rank: fc.nat(RANKS - 1), place: fc.nat(PLACES - 1) }), { nil: undefined }),
  { maxLength: MOST },
);

t.test('pairs come out by rank and then by place, in whatever order they came', async () => {
  const queue = new MergeQueue(RANKS);
  const take = () => (queue.take() ? [queue.rank, queue.place] : undefined);
  fc.assert(
    fc.property(steps, (steps) => {
      queue.prepare(MOST);
      const held: (readonly [rank: number, place: number])[] = [];
      const takeBoth = () => {
        held.sort(([rank, place], [otherRank, otherPlace]) => rank - otherRank || place - otherPlace);
        return [take(), held.shift()];
      };
      for (const step of [...steps, ...steps.map(() => undefined)]) {
        if (step === undefined) {
          const [found, expected] = takeBoth();
          if (String(found) !== String(expected)) throw new Error(`${found} instead of ${expected}`);
        } else {
          queue.add(step.rank, step.place);
          held.push([step.rank, step.place]);
        }
      }
      queue.release();
    }),
    { numRuns: 500 },
  );
});
