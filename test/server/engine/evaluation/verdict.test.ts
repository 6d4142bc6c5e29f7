import fc from 'fast-check';
import t from 'tap';
import { intervalOf, resampledMeans } from '../../../../server/engine/operations/evaluation/bootstrap.ts';
import {
  summaryOf,
  type Verdict,
  verdictOf,
} from '../../../../server/engine/operations/evaluation/verdict.ts';
import { createRandom } from '../../../support/random.ts';
import { countWinners, recall } from './equal-candidates.ts';

/** What the same questions say about several candidates. */

const signal = AbortSignal.any([]);
/** `processes/verdict.test.ts` has more. */
const RUNS = 100;
const CASES = [
  [2, 60],
  [3, 60],
] as const;

t.test('candidates that are equally good have a winner in at most 10 % of runs', async (t) => {
  for (const [candidates, questions] of CASES) {
    const count = await countWinners(candidates, questions, RUNS);
    t.comment(`${candidates} candidates, ${questions} questions: ${count} of ${RUNS}`);
    t.ok(count <= RUNS / 10, `${candidates} candidates, ${questions} questions: ${count}`);
  }
});

t.test(
  'a candidate that is better wins, wherever it is, with 95 % intervals around the difference',
  async (t) => {
    const random = createRandom(1);
    const weak = Float64Array.from({ length: 150 }, () => recall(random));
    const strong = weak.map((value) => (value < 1 && random() < 0.4 ? 1 : value));
    for (const best of [0, 1]) {
      const scores = best === 0 ? [strong, weak] : [weak, strong];
      const { winner, differences, more_questions } = await verdictOf(scores, 0, signal);
      const [{ difference, interval, candidate, decided } = assertNever()] = differences;
      t.match(
        { winner, more_questions, candidate, decided },
        { winner: best, more_questions: null, candidate: 1 - best, decided: true },
      );
      t.ok(interval[0] < difference && difference < interval[1] && interval[1] < 0);
    }
  },
);

function assertNever(): never {
  throw new Error('there is no difference');
}

/** As many intervals as should do contain the true mean. */
t.test('intervals of few scores contain the mean that they are drawn from', async (t) => {
  const random = createRandom(5);
  for (const questions of [5, 20, 100]) {
    let inside = 0;
    for (let run = 0; run < RUNS; run++) {
      const own = Float64Array.from({ length: questions }, () => random());
      const mean = own.reduce((sum, value) => sum + value, 0) / questions;
      const [means = own] = await resampledMeans([own], run, signal);
      const [low, high] = intervalOf(mean, means, questions, [0, 1]);
      if (low <= 0.5 && 0.5 <= high) inside++;
    }
    t.ok(inside >= 0.9 * RUNS, `${questions} questions: ${inside} of ${RUNS}`);
  }
});

t.test('the same seed gives the same draws, for all candidates, and another one others', async (t) => {
  const scores = [1, 2].map((by) => Float64Array.from({ length: 40 }, (_, at) => at * by));
  const [first, twice] = await resampledMeans(scores, 7, signal);
  t.same(
    twice,
    first?.map((mean) => 2 * mean),
    'both have the same draws',
  );
  t.same(await resampledMeans(scores, 7, signal), [first, twice]);
  t.notSame((await resampledMeans(scores, 8, signal))[0], first);
  t.notSame((await resampledMeans(scores, 2 ** 32 - 1, signal))[0], first);
});

t.test('a comparison ends with its signal', async (t) => {
  const stop = new AbortController();
  const running = verdictOf([new Float64Array(50), new Float64Array(50).fill(1)], 0, stop.signal);
  stop.abort(new Error('stopped'));
  await t.rejects(running, { message: 'stopped' });
});

t.test('of equally good candidates the first is the best, and nothing would decide it', async (t) => {
  const scores = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(scores, fc.integer({ min: 2, max: 4 }), async (given, count) => {
      const own = given.map((value) => value / 9);
      // The same scores, of the questions in turn: their means differ by rounding alone.
      const all = Array.from({ length: count }, (_, by) =>
        Float64Array.from([...own.slice(by), ...own.slice(0, by)]),
      );
      const { best, winner } = await verdictOf(all, 1, signal);
      return best === 0 && winner === null;
    }),
    { numRuns: 30 },
  );
  const same = Float64Array.from([1, 0, 1, 0, 1, 1, 1]);
  t.match(await verdictOf([same, same], 1, signal), { best: 0, winner: null, more_questions: null });
});

t.test('fewer than six questions that differ decide nothing, and six may', async (t) => {
  const zeros = new Float64Array(30);
  for (const [differing, winner] of [
    [5, null],
    [6, 1],
  ] as const) {
    const better = zeros.map((_, at) => (at < differing * 1 ? 1 : 0));
    t.equal(
      (await verdictOf([zeros.slice(0, differing), better.slice(0, differing)], 0, signal)).winner,
      winner,
    );
  }
  t.match(await verdictOf([Float64Array.of(0), Float64Array.of(1)], 0, signal), {
    winner: null,
    differences: [{ difference: -1, interval: [-1, 1], decided: false }],
  });
});

t.test(
  'with the questions that are said to be needed, a power of 80 % is reached; beyond 20 times as many none are',
  async (t) => {
    const against = (ahead: number, behind: number) => {
      const other = new Float64Array(100).fill(0.5);
      return [other.map((_, at) => (at < ahead ? 1 : at < ahead + behind ? 0 : 0.5)), other];
    };
    // The mean of the differences is .05, their variance 12.25 / 99.
    const needed = Math.ceil((2.8 ** 2 * (12.25 / 99)) / 0.05 ** 2);
    t.match(await verdictOf(against(30, 20), 0, signal), {
      best: 0,
      winner: null,
      more_questions: needed - 100,
    });
    t.match(await verdictOf(against(26, 25), 0, signal), { best: 0, winner: null, more_questions: null });
  },
);

const difference = (candidate: number, by: number, decided: boolean) =>
  ({ candidate, difference: by, interval: [by - 0.025, by + 0.025], decided }) as const;
const verdict = (over: Partial<Verdict>): Verdict => ({
  questions: 472,
  best: 1,
  winner: null,
  differences: [],
  more_questions: null,
  ...over,
});

t.test('the verdict in words', async (t) => {
  const names = ['recursive', 'markdown', 'token'];
  const said = (over: Partial<Verdict>) => summaryOf(verdict(over), names);
  const close = [difference(0, -0.016, false)];
  const decided = [difference(2, -0.2, true), difference(0, -0.1, true)];
  t.equal(
    said({ differences: [...close, difference(2, -0.3, true)], more_questions: 310 }),
    'Not decided: markdown is ahead of recursive by 1.6 points [-0.9, 4.1], which 472 questions cannot tell from chance. About 310 more questions would decide it, if the difference stays that large.',
  );
  t.match(said({ differences: close, more_questions: 1 }), /About 1 more question would/);
  t.match(
    said({ differences: close }),
    /No realistic number of questions would decide it: choose by cost\.$/,
  );
  t.match(said({ differences: close, questions: 1 }), /which 1 question cannot .* Ask at least 6\.$/);
  t.equal(
    said({ differences: decided, winner: 1 }),
    'Decided: markdown is ahead of recursive by 10.0 points [7.5, 12.5], and further of all others.',
  );
  t.equal(
    said({ differences: decided.slice(1), winner: 1 }),
    'Decided: markdown is ahead of recursive by 10.0 points [7.5, 12.5].',
  );
  t.match(said({}), /nothing to compare/);
});
