import type { PipelineStep } from '../../../../core/contracts/pipeline.ts';
import { table } from '../../../cli/commands/remote.ts';
import { VERSION } from '../../../config/version.ts';
import type { Interval } from '../../../engine/operations/evaluation/bootstrap.ts';
import { remedyOf } from '../../../engine/operations/evaluation/verdict.ts';
import { type Choice, chooseAgainst, type Factor, factorsOf } from './choose.ts';
import type { Point } from './evaluate.ts';
import type { Chunking } from './grid.ts';
import type { CorpusQuestion } from './read-corpus.ts';

/** A chunking with one retriever. */
interface Candidate extends Omit<Point, 'recalls'> {
  readonly name: string;
  readonly factors: Readonly<Record<string, string>>;
  /** The recall less that of the baseline, with the interval that holds for all candidates together. */
  readonly difference: number;
  readonly difference_interval: Interval | null;
}

/** What a run has found. Plain data: the answer of `--json`. */
export interface TuneResult {
  readonly folder: string;
  readonly documents: number;
  readonly questions: number;
  /** Whether the questions are sentences of the documents themselves. */
  readonly derived: boolean;
  readonly budget: number;
  readonly seed: number;
  /** Chunkings that were tried, and all of the grid. */
  readonly tried: number;
  readonly of: number;
  /** In one sentence. */
  readonly verdict: string;
  readonly baseline: Candidate;
  readonly chosen: Candidate;
  readonly is_better: boolean;
  readonly more_questions: number | null;
  /** The best first. */
  readonly candidates: readonly Candidate[];
  readonly factors: readonly Factor[];
  /** Questions that find nothing with any candidate. */
  readonly not_found: readonly Pick<CorpusQuestion, 'question' | 'place'>[];
  /** What was left out or has failed. */
  readonly notes: readonly string[];
  /** A body for POST /v1/pipelines. */
  readonly pipeline: {
    readonly name: string;
    readonly description: string;
    readonly steps: readonly PipelineStep[];
  };
}

/** A chunking that was evaluated. */
export interface Evaluated extends Chunking {
  readonly points: readonly Point[];
}

interface Tuning
  extends Pick<TuneResult, 'folder' | 'documents' | 'derived' | 'budget' | 'seed' | 'of' | 'notes'> {
  readonly questions: readonly CorpusQuestion[];
  /** The baseline is the first. */
  readonly evaluated: readonly Evaluated[];
  /** The retriever of the baseline. */
  readonly retriever: string;
}

/** Chooses among the candidates. */
export async function resultOf(tuning: Tuning, signal: AbortSignal): Promise<TuneResult> {
  const { questions, evaluated, retriever, ...about } = tuning;
  const { seed, budget, derived } = about;
  const all = evaluated.flatMap(({ points, ...chunking }) => points.map((point) => ({ ...point, chunking })));
  const scores = all.map(({ recalls }) => Float64Array.from(recalls));
  const first = all.findIndex((one) => one.retriever === retriever);
  const order = (a: number, b: number) => byCost(all[a] as Point, all[b] as Point);
  const choice = await chooseAgainst(scores, first, order, seed, signal);
  const candidates = all.map(({ chunking, recalls, ...point }, at): Candidate => {
    const { difference, interval } = choice.differences[at] as Choice['differences'][number];
    const name = `${chunking.name}, ${point.retriever}`;
    return { name, factors: chunking.factors, ...point, difference, difference_interval: interval };
  });
  const [baseline, chosen] = [candidates[first], candidates[choice.chosen]] as [Candidate, Candidate];
  const { isBetter: is_better, moreQuestions: more_questions } = choice;
  const found = { ...about, questions: questions.length, baseline, chosen, is_better, more_questions };
  const verdict = verdictIn(found);
  const { steps, embedding } = (all[choice.chosen] as (typeof all)[number]).chunking;
  const measured = `Retriever: ${chosen.retriever}; recall ${percent(chosen.recall)} ${range(chosen.interval)} within ${budget} tokens`;
  return {
    ...found,
    tried: evaluated.length,
    verdict,
    candidates: candidates.toSorted((a, b) => b.recall - a.recall),
    factors: await factorsOf(all.flatMap(withFactors), seed, signal),
    not_found: questions
      .filter((_, at) => all.every(({ recalls }) => recalls[at] === 0))
      .map(({ question, place }) => ({ question, place })),
    pipeline: {
      name: `tuned-${about.folder}`.slice(0, 255),
      description: `${verdict} ${measured}, ${questions.length}${derived ? ' derived' : ''} questions, seed ${seed}, chunksmith ${VERSION}.`,
      steps: chosen.retriever === 'bm25' ? steps : [...steps, ...embedding],
    },
  };
}

/** Two lists are dearer than one, then more chunks than fewer, then vectors than words. */
function byCost(one: Point, other: Point): number {
  const costs = ({ retriever, chunks }: Point) => [
    +(retriever === 'hybrid'),
    chunks,
    +(retriever === 'dense'),
  ];
  const [own, others] = [costs(one), costs(other)];
  return own.map((cost, at) => cost - (others[at] as number)).find((difference) => difference !== 0) ?? 0;
}

/** The baseline has none, unless it is in the grid. */
function withFactors({ chunking: { factors }, retriever, recalls }: Point & { readonly chunking: Chunking }) {
  return Object.keys(factors).length === 0 ? [] : [{ factors: { ...factors, retriever }, recalls }];
}

type Found = Pick<
  TuneResult,
  'baseline' | 'chosen' | 'is_better' | 'more_questions' | 'derived' | 'questions' | 'budget'
>;

function verdictIn({ baseline, chosen, is_better, derived, questions, budget, ...found }: Found): string {
  const by = derived ? 'By derived questions, ' : '';
  if (!is_better)
    return `${by}${derived ? 'nothing' : 'Nothing'} is better than ${baseline.name} beyond doubt. ${remedyOf(questions, found.more_questions)}`;
  const points = differenceIn(chosen.difference, chosen.difference_interval);
  return `${by}${chosen.name} is better than ${baseline.name}: ${points} points of recall within ${budget} tokens.`;
}

/** What derived questions are worth. */
export const DERIVED =
  'Derived questions are sentences taken out of the texts: they tell retrievers and large differences in size apart, not two good chunkers. 60 questions of your own say more than 400 of them.';

export function percent(share: number): string {
  return (share * 100).toFixed(1);
}

export function range([low, high]: Interval): string {
  return `[${percent(low)}, ${percent(high)}]`;
}

export function differenceIn(difference: number, interval: Interval | null): string {
  const points = `${difference > 0 ? '+' : ''}${percent(difference)}`;
  return interval === null ? points : `${points} ${range(interval)}`;
}

/** `bm25 or hybrid`, if the other levels are worse beyond doubt. */
export function conclusionOf({ levels, best }: Factor): string {
  return best.length === levels.length ? 'not decided' : `${best.join(' or ')}, decided`;
}

/** How many of the candidates are listed. */
const SHOWN = 8;

/** The result for a terminal. */
export function inWords(result: TuneResult): string {
  const { candidates, baseline, chosen, factors, not_found, notes } = result;
  const shown = candidates.filter((one, at) => at < SHOWN || one === baseline || one === chosen);
  const rows = shown.map((one) => [
    `${one === chosen ? '*' : ' '} ${one.name}${one === baseline ? ' (baseline)' : ''}`,
    `${percent(one.recall)} ${range(one.interval)}`,
    one === baseline ? '' : differenceIn(one.difference, one.difference_interval),
    one.tokens.toFixed(0),
    String(one.chunks),
  ]);
  const head = ['  candidate', 'recall, %', 'against the baseline', 'tokens', 'chunks'];
  const lines = factors.map((factor) => {
    const levels = factor.levels.map(({ level, recall }) => `${level} ${percent(recall)}`);
    return `  ${factor.name}: ${levels.join(', ')}: ${conclusionOf(factor)}`;
  });
  return [
    `${summaryOf(result)}\n`,
    `${table([head, ...rows])}\n`,
    ...(lines.length > 0 ? [`Each choice, over the same other choices:\n${lines.join('\n')}\n`] : []),
    ...(not_found.length > 0
      ? [`Nothing finds ${not_found.length} questions, such as ${not_found[0]?.place}.`]
      : []),
    ...notes,
    ...(result.derived ? [DERIVED] : []),
    result.verdict,
  ].join('\n');
}

export function summaryOf({ documents, questions, derived, budget, tried, of }: TuneResult): string {
  const kind = derived ? ' derived' : '';
  return `${documents} documents, ${questions}${kind} questions, ${budget} tokens each; ${tried} of ${of} ways to chunk were tried.`;
}
