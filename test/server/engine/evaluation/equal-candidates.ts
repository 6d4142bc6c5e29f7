import { verdictOf } from '../../../../server/engine/operations/evaluation/verdict.ts';
import { between, createRandom, pick, type Random } from '../../../support/random.ts';

/** The recall of a question: mostly all or nothing. */
export const recall = (random: Random) => pick(random, [0, 0, 1, 1, 1, 1, between(random, 1, 9) / 10]);

/** Scores of candidates that find different things and are equally good: the labels of each question are shuffled. */
function shuffled(random: Random, candidates: number, questions: number): Float64Array[] {
  const scores = Array.from({ length: candidates }, () => new Float64Array(questions));
  for (let question = 0; question < questions; question++) {
    const own = scores.map((_, at) => (at === 0 ? recall(random) : Math.min(1, recall(random) + 0.05)));
    for (const one of scores) one[question] = own.splice(between(random, 0, own.length - 1), 1)[0] as number;
  }
  return scores;
}

/** In how many runs candidates that are equally good have a winner. */
export async function countWinners(candidates: number, questions: number, runs: number): Promise<number> {
  const random = createRandom(candidates * 1000 + questions);
  const signal = AbortSignal.any([]);
  let count = 0;
  for (let run = 0; run < runs; run++) {
    const { winner } = await verdictOf(shuffled(random, candidates, questions), run, signal);
    if (winner !== null) count++;
  }
  return count;
}
