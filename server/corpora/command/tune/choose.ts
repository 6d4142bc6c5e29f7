import {
  deviationOf,
  type Interval,
  meanOf,
  NORMAL,
  resampledMeans,
  type ScoreTable,
  wideningOf,
} from '../../../engine/operations/evaluation/bootstrap.ts';
import { LEAST_DIFFERING, MOST_TIMES, verdictOf } from '../../../engine/operations/evaluation/verdict.ts';

/** Whether anything is better than a baseline, although it was chosen after looking at all. */
export interface Choice {
  /** The cheapest of those that are about as good as the best one; the baseline if nothing is better beyond doubt. */
  readonly chosen: number;
  readonly isBetter: boolean;
  /** Each candidate less the baseline, with the interval that holds for all of them together, if it has one. */
  readonly differences: readonly { readonly difference: number; readonly interval: Interval | null }[];
  /** How many more questions would decide it, if the differences stay; null if it is decided, or none would. */
  readonly moreQuestions: number | null;
}

/** The share of baselines without a better candidate that stay. */
const LEVEL = 0.95;
/** The normal quantile of a power of 80 %. */
const POWER = 0.84;

/**
 * Compares the largest studentised difference to the baseline with the distribution of that largest one under
 * resampling (max-T): the more candidates there are, the more it takes to be called better.
 *
 * @param scores of the candidates, for each question
 * @param order of the candidates by their costs, negative if the first one is cheaper
 */
export async function chooseAgainst(
  scores: ScoreTable,
  baseline: number,
  order: (a: number, b: number) => number,
  seed: number,
  signal: AbortSignal,
): Promise<Choice> {
  const paired = scores.map((own) => less(own, scores[baseline] as Float64Array));
  const means = paired.map(meanOf);
  const questions = paired[0]?.length ?? 0;
  const errors = paired.map((one) => deviationOf(one) / Math.sqrt(questions));
  const compared = [...paired.keys()].filter(
    (at) => differing(paired[at] as Float64Array) >= LEAST_DIFFERING,
  );
  const ratio = (at: number) => (means[at] as number) / (errors[at] as number);
  const limit = await limitOf(
    compared.map((at) => paired[at] as Float64Array),
    seed,
    signal,
  );
  const differences = means.map((difference, at): Choice['differences'][number] => {
    const reach = limit * (errors[at] as number);
    return { difference, interval: compared.includes(at) ? [difference - reach, difference + reach] : null };
  });
  const better = compared.filter((at) => ratio(at) > limit);
  if (better.length === 0) {
    const most = Math.max(...means.map((mean, at) => (mean > 0 ? ratio(at) : 0)));
    const needed = questions * (((Number.isFinite(limit) ? limit : NORMAL) + POWER) / most) ** 2;
    const moreQuestions =
      needed <= MOST_TIMES * questions ? Math.max(1, Math.ceil(needed) - questions) : null;
    return { chosen: baseline, isBetter: false, differences, moreQuestions };
  }
  const best = compared.toSorted((a, b) => (means[b] as number) - (means[a] as number))[0] as number;
  const isNear = (at: number) => {
    const lag = less(scores[best] as Float64Array, scores[at] as Float64Array);
    return meanOf(lag) <= deviationOf(lag) / Math.sqrt(questions);
  };
  const near = better.filter(isNear).sort((a, b) => order(a, b) || a - b);
  const chosen = near[0] ?? (better.toSorted((a, b) => ratio(b) - ratio(a))[0] as number);
  return { chosen, isBetter: true, differences, moreQuestions: null };
}

/** What the largest of the studentised differences exceeds by chance in one of twenty cases. */
async function limitOf(paired: ScoreTable, seed: number, signal: AbortSignal): Promise<number> {
  const resampled = await resampledMeans(paired, seed, signal);
  const largest = new Float64Array(resampled[0]?.length ?? 0).fill(Number.NEGATIVE_INFINITY);
  for (const [at, means] of resampled.entries()) {
    const own = paired[at] as Float64Array;
    const [mean, error] = [meanOf(own), deviationOf(own) / Math.sqrt(own.length)];
    for (const [round, value] of means.entries())
      largest[round] = Math.max(largest[round] as number, (value - mean) / error);
  }
  const limit = largest.sort()[Math.round(LEVEL * (largest.length - 1))];
  return limit === undefined ? Number.POSITIVE_INFINITY : limit * wideningOf(paired[0]?.length ?? 0);
}

function less(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, at) => value - (b[at] as number));
}

function differing(paired: Float64Array): number {
  return paired.reduce((count, value) => count + (value === 0 ? 0 : 1), 0);
}

/** A candidate with the levels of its factors. */
export interface Tried {
  readonly factors: Readonly<Record<string, string>>;
  readonly recalls: readonly number[];
}

/** How much one choice matters, averaged over the same other choices. */
export interface Factor {
  readonly name: string;
  /** The best first. */
  readonly levels: readonly { readonly level: string; readonly recall: number }[];
  /** The levels that may be the best one: the first, and those that are not worse beyond doubt. */
  readonly best: readonly string[];
  /** The number of combinations of the other choices that all levels were tried with. */
  readonly combinations: number;
}

/** The factors with at least two levels that were tried with something in common. */
export async function factorsOf(
  tried: readonly Tried[],
  seed: number,
  signal: AbortSignal,
): Promise<Factor[]> {
  const names = [...new Set(tried.flatMap(({ factors }) => Object.keys(factors)))];
  const found: Factor[] = [];
  for (const name of names) {
    const byLevel = [...Map.groupBy(tried, ({ factors }) => factors[name])].filter(([level]) => level);
    const rests = byLevel.map(([, own]) => new Map(own.map((one) => [restOf(one, name), one.recalls])));
    const common = [...(rests[0]?.keys() ?? [])].filter((rest) => rests.every((one) => one.has(rest)));
    if (byLevel.length < 2 || common.length === 0) continue;
    const scores = rests.map((one) => meansOf(common.map((rest) => one.get(rest) as readonly number[])));
    const { differences } = await verdictOf(scores, seed, signal);
    const isWorse = (at: number) => differences.some(({ candidate, decided }) => candidate === at && decided);
    const levels = byLevel.map(([level], at) => {
      const recall = meanOf(scores[at] as Float64Array);
      return { level: String(level), recall, isWorse: isWorse(at) };
    });
    levels.sort((a, b) => b.recall - a.recall);
    const best = levels.filter((one) => !one.isWorse).map(({ level }) => level);
    const shown = levels.map(({ level, recall }) => ({ level, recall }));
    found.push({ name, levels: shown, best, combinations: common.length });
  }
  return found;
}

/** All factors but one. */
function restOf({ factors }: Tried, name: string): string {
  return JSON.stringify(Object.entries(factors).filter(([other]) => other !== name));
}

/** For each question, the mean of its scores. */
function meansOf(all: readonly (readonly number[])[]): Float64Array {
  const [first = []] = all;
  return Float64Array.from(first, (_, at) => all.reduce((sum, one) => sum + (one[at] ?? 0), 0) / all.length);
}
