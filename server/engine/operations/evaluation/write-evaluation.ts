import { ServiceError } from '../../../../core/errors.ts';
import { ByteWriter } from '../../answer/byte-writer.ts';
import type { Run } from '../../operation.ts';
import type { Interval } from './bootstrap.ts';
import type { IndexedChunk } from './chunk-index.ts';
import type { Candidate, EvaluationRequest } from './read-evaluation.ts';
import type { Retriever } from './schemas.ts';
import type { Scores } from './scores.ts';
import { summaryOf, verdictOf } from './verdict.ts';

/** The outcome of a candidate. */
export type Outcome = { readonly evaluated: Evaluated } | { readonly error: unknown };

/** What the questions find with a candidate. */
export interface Evaluated {
  readonly retriever: Retriever;
  readonly scores: Scores;
  readonly interval: Readonly<Record<(typeof INTERVALS)[number], Interval>>;
  readonly tokensPerQuestion: number;
  readonly chunks: number;
  /** The sum over all chunks, and the largest one. */
  readonly tokens: number;
  readonly largest: number;
  readonly questions: readonly EvaluatedQuestion[];
}

export interface EvaluatedQuestion {
  readonly scores: Scores;
  readonly tokens: number;
  /** Best first. */
  readonly found: readonly (Omit<IndexedChunk, 'range'> & { readonly score: number })[];
}

/** The scores that have an interval. */
export const INTERVALS = ['recall', 'precision', 'iou'] as const;

const FIRST_SIZE = 1024;
const BREAK = Buffer.from('\n');
const COMMA = Buffer.from(',');

/** Writes an answer: a line for each candidate and the verdict if lines are wanted, else one object. */
export class EvaluationWriter {
  readonly #request: EvaluationRequest;
  readonly #model: string | null;
  readonly #onPart: Run['onPart'];
  readonly #written: Uint8Array[] = [];
  #room: number;

  /** @param model null if only words are searched */
  constructor(request: EvaluationRequest, model: string | null, { onPart, limits }: Run) {
    this.#request = request;
    this.#model = model;
    this.#onPart = onPart;
    this.#room = limits.maxAnswerBytes;
  }

  /** @throws ServiceError `answer_too_large` */
  candidate(place: number, outcome: Outcome): void {
    const bytes = writeCandidate(place, this.#request.candidates[place] as Candidate, outcome, this.#room);
    this.#room -= bytes.length;
    if (this.#onPart === undefined) this.#written.push(bytes);
    else this.#onPart(lineOf(bytes));
  }

  /** The answer, which is empty if lines are wanted. Call it after all candidates. */
  end(verdict: object | null): Uint8Array<ArrayBuffer> {
    if (this.#onPart !== undefined) {
      this.#onPart(lineOf(Buffer.from(JSON.stringify({ verdict }))));
      return new Uint8Array();
    }
    const { k, budget, tokenizer } = this.#request.options;
    const counted = budget === undefined ? { k } : { budget };
    const head = JSON.stringify({ embedding_model: this.#model, ...counted, tokenizer });
    const candidates = this.#written.flatMap((bytes, at) => (at === 0 ? [bytes] : [COMMA, bytes]));
    const opening = Buffer.from(`${head.slice(0, -1)},"candidates":[`);
    const closing = Buffer.from(`],"verdict":${JSON.stringify(verdict)}}`);
    return new Uint8Array(Buffer.concat([opening, ...candidates, closing]));
  }
}

function lineOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat([bytes, BREAK]));
}

/**
 * Writes the outcome of a candidate as a JSON object, with its questions one by one, because there may be many.
 *
 * @param index its place in the request
 * @param limit maximum bytes
 * @throws ServiceError `answer_too_large`
 */
function writeCandidate(
  index: number,
  { name, retriever, sameAs }: Candidate,
  outcome: Outcome,
  limit: number,
): Uint8Array<ArrayBuffer> {
  const head = { index, name, ...(sameAs === undefined ? {} : { same_as: sameAs }), retriever };
  const writer = new ByteWriter(limit, FIRST_SIZE);
  if ('error' in outcome) {
    writer.json(JSON.stringify({ ...head, error: errorOf(outcome.error) }));
    return writer.written();
  }
  const { scores, tokensPerQuestion, chunks, interval, questions } = outcome.evaluated;
  const figures = { ...rounded(scores), tokens_per_question: round(tokensPerQuestion), chunks };
  const intervals = Object.fromEntries(INTERVALS.map((name) => [name, interval[name].map(round)]));
  const opening = JSON.stringify({ ...head, ...figures, interval: intervals });
  writer.json(`${opening.slice(0, -1)},"questions":[`);
  questions.forEach((question, at) => {
    writer.json(`${at === 0 ? '' : ','}${JSON.stringify(questionOf(question))}`);
  });
  writer.ascii(']}');
  return writer.written();
}

function questionOf({ scores, tokens, found }: EvaluatedQuestion): object {
  return { ...rounded(scores), tokens, found: found.map((one) => ({ ...one, score: round(one.score) })) };
}

function errorOf(error: unknown): object {
  const { status, detail } = error instanceof ServiceError ? error : new ServiceError('internal', {}, error);
  return { status, detail };
}

function rounded(scores: object): object {
  return Object.fromEntries(
    Object.entries(scores).map(([name, value]: [string, number]) => [name, round(value)]),
  );
}

/** With six decimals. */
function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/**
 * What the recall of the candidates says, apart from those that failed or do the same as earlier ones; null if none is
 * left.
 *
 * @throws the signal's reason once it aborts
 */
export async function verdictIn(
  { candidates, options }: EvaluationRequest,
  outcomes: readonly Outcome[],
  signal: AbortSignal,
): Promise<object | null> {
  const compared = outcomes.flatMap((outcome, place) =>
    'evaluated' in outcome && candidates[place]?.sameAs === undefined ? [{ place, ...outcome }] : [],
  );
  if (compared.length === 0) return null;
  const recalls = compared.map(({ evaluated }) =>
    Float64Array.from(evaluated.questions, ({ scores }) => scores.recall),
  );
  const verdict = await verdictOf(recalls, options.seed, signal);
  const names = compared.map(({ place }) => (candidates[place] as Candidate).name);
  const placeOf = (at: number) => compared[at]?.place as number;
  const differences = verdict.differences.map(({ candidate, difference, interval, decided }) => ({
    ...{
      candidate: placeOf(candidate),
      difference: round(difference),
      interval: interval.map(round),
      decided,
    },
  }));
  const all = compared.map(({ evaluated }) => evaluated);
  return {
    score: 'recall',
    questions: verdict.questions,
    best: placeOf(verdict.best),
    winner: verdict.winner === null ? null : placeOf(verdict.winner),
    more_questions: verdict.more_questions,
    differences,
    summary: [summaryOf(verdict, names), ...cautions(all, options.budget)].join(' '),
  };
}

/** Candidates that find this many times as much text are not compared by how well they find it. */
const OTHER_AMOUNT = 1.2;
/** A budget of fewer of the largest chunks is mostly spent on what fits. */
const LEAST_CHUNKS = 4;

/** Why the figures may mean less than they seem to. */
function cautions(all: readonly Evaluated[], budget: number | undefined): string[] {
  if (budget === undefined) {
    const amounts = all.map(({ tokensPerQuestion }) => tokensPerQuestion);
    const isFair = Math.max(...amounts) <= OTHER_AMOUNT * Math.min(...amounts);
    return isFair ? [] : ['They find different amounts of text; compare them within a budget.'];
  }
  const largest = Math.max(...all.map((one) => one.largest));
  if (budget >= LEAST_CHUNKS * largest) return [];
  return [
    `The largest chunk has ${largest} tokens: a budget of fewer than ${LEAST_CHUNKS * largest} also measures how well chunks fill it.`,
  ];
}
