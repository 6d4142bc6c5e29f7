import {
  deviationOf,
  type Interval,
  intervalOf,
  meanOf,
  resampledMeans,
  type ScoreTable,
} from './bootstrap.ts';

/** Comparison of several candidates by the same questions. */
export interface Verdict {
  readonly questions: number;
  /** Index of the candidate with the highest mean; the first one if several are equal. */
  readonly best: number;
  /** `best`, if it is significantly better than every other candidate. */
  readonly winner: number | null;
  /** Number of further questions that would decide the comparison; null if it is decided or cannot be. */
  readonly more_questions: number | null;
  /** Every other candidate, compared with the best. */
  readonly differences: readonly Difference[];
}

export interface Difference {
  readonly candidate: number;
  /** The candidate's mean minus the best candidate's mean. */
  readonly difference: number;
  readonly interval: Interval;
  readonly decided: boolean;
}

/** Minimum number of questions with different scores. With fewer, even a sign test cannot reach 5 %. */
export const MIN_DIFFERING = 6;
/** Sum of the normal quantiles for 95 % and for a power of 80 %. */
const POWER = 2.8;
/** Maximum realistic factor by which to increase the number of questions. */
export const MAX_TIMES = 20;
/** Maximum difference of means that count as equal. The order of additions changes a sum's last digits. */
const EQUAL = 1e-9;

/**
 * Compares candidates by paired bootstrap. A winner must beat every other candidate, so that several
 * comparisons on the same questions create no winner by chance.
 *
 * @param scores scores of at least one candidate for at least one question
 * @throws the signal's reason once it aborts
 */
export async function verdictOf(scores: ScoreTable, seed: number, signal: AbortSignal): Promise<Verdict> {
  const means = scores.map(meanOf);
  const highest = Math.max(...means);
  const best = means.findIndex((mean) => mean >= highest - EQUAL);
  const bestScores = scores[best] as Float64Array;
  const questions = bestScores.length;
  const others = [...scores.keys()].filter((candidate) => candidate !== best);
  const paired = others.map((other) =>
    (scores[other] as Float64Array).map((own, at) => own - (bestScores[at] as number)),
  );
  const resampled = await resampledMeans(paired, seed, signal);
  const differences = paired.map((own, at) =>
    differenceOf(others[at] as number, own, resampled[at] as Float64Array),
  );
  const open = paired.filter((_, at) => differences[at]?.decided === false);
  const needed = Math.max(...open.map(neededFor));
  return {
    questions,
    best,
    winner: open.length === 0 && others.length > 0 ? best : null,
    more_questions:
      open.length === 0 || !(needed <= MAX_TIMES * questions)
        ? null
        : Math.max(1, Math.ceil(needed) - questions),
    differences,
  };
}

function differenceOf(candidate: number, paired: Float64Array, resampled: Float64Array): Difference {
  const difference = meanOf(paired);
  const interval = intervalOf(difference, resampled, paired.length, [-1, 1]);
  const differing = paired.reduce((count, value) => count + (value === 0 ? 0 : 1), 0);
  const decided = differing >= MIN_DIFFERING && (interval[0] > 0 || interval[1] < 0);
  return { candidate, difference, interval, decided };
}

/** Number of questions that would decide a difference in four of five cases; NaN or infinite if no number would. */
function neededFor(paired: Float64Array): number {
  return ((POWER * deviationOf(paired)) / meanOf(paired)) ** 2;
}

/** Describes the verdict in words. @param names names of the candidates */
export function summaryOf(
  { questions, best, differences, ...verdict }: Verdict,
  names: readonly string[],
): string {
  const open = differences.filter(({ decided }) => !decided);
  const [first, ...rest] = open.length > 0 ? open : differences;
  if (first === undefined) return 'There is nothing to compare: one candidate was evaluated.';
  const nearest = rest.reduce((one, other) => (other.difference > one.difference ? other : one), first);
  const [low, high] = nearest.interval;
  const lead = `${names[best]} is ahead of ${names[nearest.candidate]} by ${points(-nearest.difference)} points`;
  const ahead = `${lead} [${points(-high)}, ${points(-low)}]`;
  if (open.length === 0) return `Decided: ${ahead}${rest.length > 0 ? ', and further of all others' : ''}.`;
  const count = questions === 1 ? '1 question' : `${questions} questions`;
  return `Not decided: ${ahead}, which ${count} cannot tell from chance. ${remedyOf(questions, verdict.more_questions)}`;
}

export function remedyOf(questions: number, more: number | null): string {
  if (more !== null)
    return `About ${more} more question${more === 1 ? '' : 's'} would decide it, if the difference stays that large.`;
  if (questions < MIN_DIFFERING) return `Ask at least ${MIN_DIFFERING}.`;
  return 'No realistic number of questions would decide it: choose by cost.';
}

function points(share: number): string {
  const shown = (100 * share).toFixed(1);
  return shown === '-0.0' ? '0.0' : shown;
}

export interface Compared {
  readonly index: number;
  readonly name: string;
  readonly recalls: Float64Array;
  /** Mean number of tokens found for a question. */
  readonly found: number;
  readonly largest: number;
}

/**
 * The verdict in an answer, with candidates by their indexes in the request; null without candidates.
 *
 * @throws the signal's reason once it aborts
 */
export async function verdictIn(
  compared: readonly Compared[],
  { budget, seed }: { readonly budget?: number; readonly seed: number },
  signal: AbortSignal,
): Promise<object | null> {
  if (compared.length === 0) return null;
  const recalls = compared.map((one) => one.recalls);
  const verdict = await verdictOf(recalls, seed, signal);
  const names = compared.map(({ name }) => name);
  const indexOf = (at: number) => compared[at]?.index as number;
  return {
    score: 'recall',
    ...verdict,
    best: indexOf(verdict.best),
    winner: verdict.winner === null ? null : indexOf(verdict.winner),
    differences: verdict.differences.map((one) => ({ ...one, candidate: indexOf(one.candidate) })),
    summary: [summaryOf(verdict, names), ...cautions(compared, budget)].join(' '),
  };
}

/** Maximum ratio between the amounts of text that candidates find. Above it, the summary warns of the comparison. */
const OTHER_AMOUNT = 1.2;
/** Minimum budget, as a multiple of the largest chunk. A smaller budget is mostly spent on whatever chunks fit. */
const MIN_CHUNKS = 4;

function cautions(compared: readonly Compared[], budget: number | undefined): string[] {
  if (budget === undefined) {
    const amounts = compared.map(({ found }) => found);
    const isFair = Math.max(...amounts) <= OTHER_AMOUNT * Math.min(...amounts);
    return isFair ? [] : ['They find different amounts of text; compare them within a budget.'];
  }
  const largest = Math.max(...compared.map((one) => one.largest));
  return budgetCautions('The largest chunk', largest, budget);
}

/** @param chunk description of the largest chunk @param largest number of its tokens */
export function budgetCautions(chunk: string, largest: number, budget: number): string[] {
  const needed = MIN_CHUNKS * largest;
  if (budget >= needed) return [];
  return [
    `${chunk} has ${largest} tokens: a budget of fewer than ${needed} also measures how well chunks fill it.`,
  ];
}
