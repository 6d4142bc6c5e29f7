import { VERSION } from '../../../config/version.ts';
import {
  deviationOf,
  type Interval,
  meanOf,
  NORMAL,
  resampledMeans,
  type ScoreTable,
  wideningOf,
} from '../../../engine/operations/evaluation/bootstrap.ts';
import {
  budgetCautions,
  MAX_TIMES,
  MIN_DIFFERING,
  remedyOf,
  verdictOf,
} from '../../../engine/operations/evaluation/verdict.ts';
import type { Point } from './kept-trials.ts';
import type { CorpusQuestion } from './read-corpus.ts';
import type { Trial } from './search.ts';

/** The probability that the baseline is kept if no candidate is better. */
const LEVEL = 0.95;
const POWER = 0.84;

export const SEED = 1;

/**
 * Tests whether any candidate is better than a baseline, corrected for choosing the best of many (max-T).
 * Compares the largest studentised difference to the baseline with its distribution under resampling.
 *
 * @param scores of each candidate, one per question
 * @param order compares the costs of two candidates; negative if the first is cheaper
 */
export async function chooseAgainst(
  scores: ScoreTable,
  baseline: number,
  order: (a: number, b: number) => number,
  signal: AbortSignal,
) {
  const all = scores.map((own, at) => ({ at, ...pairOf(own, scores[baseline] as Float64Array) }));
  const questions = scores[baseline]?.length ?? 0;
  const compared = all.filter(({ differing }) => differing >= MIN_DIFFERING);
  const limit = await limitOf(compared, signal);
  const better = compared.filter(({ mean, error }) => mean / error > limit);
  const [best] = better.length > 0 ? all.toSorted(byMean) : [];
  const isNear = ({ at }: { readonly at: number }) => {
    const lag = pairOf(scores[best?.at ?? at] as Float64Array, scores[at] as Float64Array);
    return lag.mean <= lag.error;
  };
  const near = better.filter(isNear).sort((a, b) => order(a.at, b.at) || a.at - b.at);
  const [chosen] = [...near, ...better.toSorted(byMean)];
  const most = Math.max(...all.map(({ mean, error }) => (mean > 0 ? mean / error : 0)));
  const needed = questions * (((Number.isFinite(limit) ? limit : NORMAL) + POWER) / most) ** 2;
  const isOpen = chosen === undefined && needed <= MAX_TIMES * questions;
  return {
    /** The cheapest candidate about as good as the best; the baseline if none is significantly better. */
    chosen: chosen?.at ?? baseline,
    /** Each candidate's difference to the baseline. The intervals hold for all candidates at once. */
    differences: all.map(({ mean: difference, error, differing }) => {
      const reach = limit * error;
      const interval: Interval = [difference - reach, difference + reach];
      return { difference, interval: differing < MIN_DIFFERING ? null : interval };
    }),
    /**
     * How many more questions would decide the test, if the differences stay the same. Null if the test is
     * decided, or would need too many questions.
     */
    moreQuestions: isOpen ? Math.max(1, Math.ceil(needed) - questions) : null,
  };
}

interface Pair {
  readonly values: Float64Array;
  readonly mean: number;
  readonly error: number;
  readonly differing: number;
}

function pairOf(one: Float64Array, other: Float64Array): Pair {
  const values = one.map((value, at) => value - (other[at] as number));
  const error = deviationOf(values) / Math.sqrt(values.length);
  return { values, mean: meanOf(values), error, differing: values.filter((value) => value !== 0).length };
}

const byMean = (a: Pair, b: Pair) => b.mean - a.mean;

/** The 95 % quantile of the largest studentised difference under chance. */
async function limitOf(compared: readonly Pair[], signal: AbortSignal): Promise<number> {
  const values = compared.map((one) => one.values);
  const resampled = await resampledMeans(values, SEED, signal);
  const largest = new Float64Array(resampled[0]?.length ?? 0).fill(Number.NEGATIVE_INFINITY);
  for (const [at, { mean, error }] of compared.entries())
    for (const [round, value] of (resampled[at] as Float64Array).entries())
      largest[round] = Math.max(largest[round] as number, (value - mean) / error);
  const limit = largest.sort()[Math.round(LEVEL * (largest.length - 1))];
  return limit === undefined ? Number.POSITIVE_INFINITY : limit * wideningOf(values[0]?.length ?? 0);
}

interface Tried extends Pick<Point, 'recalls'> {
  readonly factors: Trial['factors'];
}

/** The effect of one choice, such as the chunker. Averaged over the trials whose other choices are equal. */
export interface Factor {
  readonly name: string;
  readonly levels: readonly { readonly level: string; readonly recall: number }[];
  /** The best level, and all levels that are not significantly worse. */
  readonly best: readonly string[];
}

/** The factors with at least two levels. Levels are compared by trials whose other choices are equal. */
export async function factorsOf(tried: readonly Tried[], signal: AbortSignal): Promise<Factor[]> {
  const found: Factor[] = [];
  for (const name of Object.keys(tried[0]?.factors ?? {})) {
    const byLevel = [...Map.groupBy(tried, ({ factors }) => factors[name] as string)];
    const restOf = ({ factors }: Tried) => JSON.stringify({ ...factors, [name]: undefined });
    const rests = byLevel.map(([, own]) => new Map(own.map((one) => [restOf(one), one.recalls])));
    const common = [...(rests[0]?.keys() ?? [])].filter((rest) => rests.every((one) => one.has(rest)));
    if (byLevel.length < 2 || common.length === 0) continue;
    const scores = rests.map((one) => meansOf(common.map((rest) => one.get(rest) as readonly number[])));
    const { differences } = await verdictOf(scores, SEED, signal);
    const worse = differences.flatMap(({ candidate, decided }) => (decided ? [byLevel[candidate]?.[0]] : []));
    const levels = byLevel
      .map(([level], at) => ({ level, recall: meanOf(scores[at] as Float64Array) }))
      .sort((a, b) => b.recall - a.recall);
    const best = levels.map(({ level }) => level).filter((level) => !worse.includes(level));
    found.push({ name, levels, best });
  }
  return found;
}

function meansOf(all: readonly (readonly number[])[]): Float64Array {
  const [first = []] = all;
  return Float64Array.from(first, (_, at) => all.reduce((sum, one) => sum + (one[at] ?? 0), 0) / all.length);
}

interface Tuning {
  readonly folder: string;
  readonly documents: number;
  readonly questions: readonly CorpusQuestion[];
  readonly derived: boolean;
  readonly budget: number;
  readonly trials: readonly Trial[];
  readonly retriever: string;
  /** Whether to make vectors that the retriever does not need; missing if no pipeline is requested. */
  readonly embeddings?: boolean | undefined;
  readonly of: number;
  readonly notes: readonly string[];
}

export interface Candidate extends Omit<Point, 'recalls'> {
  readonly name: string;
  /** The candidate's recall minus the baseline's. The interval is simultaneous for all candidates. */
  readonly difference: number;
  readonly difference_interval: Interval | null;
}

export type TuneResult = Awaited<ReturnType<typeof resultOf>>;

export async function resultOf(
  { questions, trials, retriever, embeddings, notes, ...about }: Tuning,
  signal: AbortSignal,
) {
  const all = trials.flatMap((trial) => trial.points.map((point) => ({ ...trial, ...point })));
  const scores = all.map(({ recalls }) => Float64Array.from(recalls));
  const first = all.findIndex((one) => one.retriever === retriever);
  const order = (a: number, b: number) => byCost(all[a] as Point, all[b] as Point);
  const choice = await chooseAgainst(scores, first, order, signal);
  const candidates = all.map(({ name, steps, embedding, points, recalls, ...point }, at): Candidate => {
    const { difference = 0, interval = null } = choice.differences[at] ?? {};
    return { name: `${name}, ${point.retriever}`, ...point, difference, difference_interval: interval };
  });
  const [baseline, chosen] = [candidates[first], candidates[choice.chosen]] as [Candidate, Candidate];
  const more_questions = choice.moreQuestions;
  const found = { ...about, questions: questions.length, baseline, chosen, more_questions };
  const verdict = verdictIn(found);
  const { steps, embedding } = all[choice.chosen] as (typeof all)[number];
  const isWithout = chosen.retriever === 'bm25' && embeddings === false;
  const needsNone = chosen.retriever === 'bm25' && embeddings !== undefined && embedding.length > 0;
  const vectors = needsNone ? [isWithout ? WITHOUT_VECTORS : WITH_VECTORS] : [];
  const measured = `Retriever: ${chosen.retriever}; recall ${percent(chosen.recall)} ${range(chosen.interval)} within ${about.budget} tokens, chunksmith ${VERSION}.`;
  // The baseline has factors only if it is in the grid.
  const compared = all.filter(({ factors }) => Object.keys(factors).length > 0);
  return {
    ...found,
    is_better: chosen !== baseline,
    tried: trials.length,
    verdict,
    candidates: candidates.toSorted((a, b) => b.recall - a.recall),
    factors: await factorsOf(
      compared.map((one) => ({ ...one, factors: { ...one.factors, retriever: one.retriever } })),
      signal,
    ),
    not_found: questions
      .filter((_, at) => all.every(({ recalls }) => recalls[at] === 0))
      .map(({ question, place }) => ({ question, place })),
    notes: [...notes, ...cautions(all, about.budget), ...vectors],
    /** The request body for POST /v1/pipelines. */
    pipeline: {
      name: `tuned-${about.folder}`.slice(0, 255),
      description: [verdict, measured, ...vectors].join(' '),
      steps: isWithout ? steps : [...steps, ...embedding],
    },
  };
}

const WITHOUT_VECTORS = 'The pipeline makes no vectors: its retriever, bm25, searches by words.';
const WITH_VECTORS =
  'The retriever, bm25, needs no vectors. The pipeline makes them nevertheless; --no-embeddings leaves them out.';

/**
 * Orders candidates by cost. Two result lists cost more than one; then more chunks cost more than fewer; then
 * vectors cost more than words.
 */
function byCost(one: Point, other: Point): number {
  const both = ({ retriever }: Point) => Number(retriever === 'hybrid');
  const vectors = ({ retriever }: Point) => Number(retriever === 'dense');
  return both(one) - both(other) || one.chunks - other.chunks || vectors(one) - vectors(other);
}

interface Found extends Pick<Tuning, 'derived' | 'budget'> {
  readonly questions: number;
  readonly baseline: Candidate;
  readonly chosen: Candidate;
  readonly more_questions: number | null;
}

function verdictIn({ baseline, chosen, more_questions, questions, derived, budget }: Found): string {
  const by = `By ${count(questions, derived ? 'derived question' : 'question')}`;
  const points = differenceIn(chosen);
  if (chosen !== baseline)
    return `${by}, ${chosen.name} is better than ${baseline.name}: ${points} points of recall within ${budget} tokens.`;
  return `${by}, nothing is better than ${baseline.name} beyond doubt. ${remedyOf(questions, more_questions)}`;
}

function cautions(points: readonly (Point & Pick<Trial, 'name'>)[], budget: number): string[] {
  const most = Math.max(...points.map(({ largest }) => largest));
  if (most === 0) return [`No chunk fits into ${budget} tokens.`];
  const name = points.find(({ largest }) => largest === most)?.name;
  return budgetCautions(`The largest chunk that was found, of ${name},`, most, budget);
}

export function percent(share: number): string {
  return (share * 100).toFixed(1);
}

export function range([low, high]: Interval): string {
  return `[${percent(low)}, ${percent(high)}]`;
}

export function differenceIn({ difference, difference_interval: interval }: Candidate): string {
  const points = `${difference > 0 ? '+' : ''}${percent(difference)}`;
  return interval === null ? points : `${points} ${range(interval)}`;
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
