import {
  deviationOf,
  type Interval,
  intervalOf,
  meanOf,
  resampledMeans,
  type ScoreTable,
} from './bootstrap.ts';

/** The comparison of several candidates by the same questions. */
export interface Verdict {
  readonly questions: number;
  /** The candidate with the highest mean; of equal ones the first. */
  readonly best: number;
  /** `best`, if it is better than each of the others beyond doubt. */
  readonly winner: number | null;
  /** How many more questions would decide it, if the differences stay; null if it is decided, or none would. */
  readonly more_questions: number | null;
  /** Each of the others, compared with the best. */
  readonly differences: readonly Difference[];
}

export interface Difference {
  readonly candidate: number;
  /** Its mean less that of the best one. */
  readonly difference: number;
  readonly interval: Interval;
  readonly decided: boolean;
}

/** If fewer questions differ, even a sign test cannot reach 5 %. */
export const MIN_DIFFERING = 6;
/** The normal quantiles of 95 % and of a power of 80 %, added. */
const POWER = 2.8;
/** Times the questions above which more of them are not realistic. */
export const MAX_TIMES = 20;
/** Means that differ less are equal: sums of the same numbers in another order. */
const EQUAL = 1e-9;

/**
 * Compares candidates by paired bootstrap. Whoever wins beats each of the others, so several looks at the same
 * questions make no winner of chance.
 *
 * @param scores of at least one candidate, for at least one question
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

/** How many questions would decide a difference in four of five cases; NaN or infinite if none would. */
function neededFor(paired: Float64Array): number {
  return ((POWER * deviationOf(paired)) / meanOf(paired)) ** 2;
}

/** The verdict in words. @param names of the candidates */
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

/** In points, 100 of which are a whole. */
function points(share: number): string {
  const shown = (100 * share).toFixed(1);
  return shown === '-0.0' ? '0.0' : shown;
}

export interface Compared {
  /** Its index in the request. */
  readonly index: number;
  readonly name: string;
  /** The recall of each question. */
  readonly recalls: Float64Array;
  /** Mean tokens that a question finds. */
  readonly found: number;
  /** Tokens of the largest chunk. */
  readonly largest: number;
}

/**
 * The verdict as a request is answered: candidates by their indexes in the request; null without any.
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

/** Candidates that find this many times as much text are not compared by how well they find it. */
const OTHER_AMOUNT = 1.2;
/** A budget of fewer of the largest chunks is mostly spent on what fits. */
const MIN_CHUNKS = 4;

/** Why the figures may mean less than they seem to. */
function cautions(compared: readonly Compared[], budget: number | undefined): string[] {
  if (budget === undefined) {
    const amounts = compared.map(({ found }) => found);
    const isFair = Math.max(...amounts) <= OTHER_AMOUNT * Math.min(...amounts);
    return isFair ? [] : ['They find different amounts of text; compare them within a budget.'];
  }
  const largest = Math.max(...compared.map((one) => one.largest));
  return budgetCautions('The largest chunk', largest, budget);
}

/** @param chunk which one is the largest @param largest its tokens */
export function budgetCautions(chunk: string, largest: number, budget: number): string[] {
  const needed = MIN_CHUNKS * largest;
  if (budget >= needed) return [];
  return [
    `${chunk} has ${largest} tokens: a budget of fewer than ${needed} also measures how well chunks fill it.`,
  ];
}
