import t from 'tap';
import { countWinners } from '../equal-candidates.ts';

const RUNS = 200;
const CASES = [
  [2, 5],
  [2, 20],
  [2, 60],
  [2, 200],
  [3, 60],
  [8, 60],
] as const;

t.test('candidates that are equally good have a winner in at most 10 % of runs', async (t) => {
  for (const [candidates, questions] of CASES) {
    const count = await countWinners(candidates, questions, RUNS);
    t.comment(`${candidates} candidates, ${questions} questions: ${count} of ${RUNS}`);
    t.ok(count <= RUNS / 10, `${candidates} candidates, ${questions} questions: ${count}`);
  }
});
