import {
  type Interval,
  intervalOf,
  resampledMeans,
} from '../../../server/engine/operations/evaluation/bootstrap.ts';
import type { EvaluatedCandidate, Evaluation } from '../../support/evaluation.ts';
import type { Cleanup } from '../../support/server.ts';
import { jsonOf, type OpenService } from '../../support/service.ts';
import type { DataSet } from './data-sets.ts';
import type { PlainChunk, PlainQuestion } from './reference.ts';

/** A figure beside its goal. */
export interface Row {
  readonly figure: string;
  readonly value: string;
  readonly goal: string;
  /** Undefined if it was not measured, or there is no goal for these data. */
  readonly isMet: boolean | undefined;
}

export function unmeasured(figure: string, why: string): Row {
  return { figure, value: why, goal: '', isMet: undefined };
}

export const SEED = 1;
export const TOKENS = { tokenizer: 'cl100k_base' } as const;
export const RETRIEVERS = ['dense', 'bm25', 'hybrid'] as const;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
export const LIMITS = { maxEvaluationCharacters: NO_LIMIT, maxDocuments: NO_LIMIT, maxBodyBytes: 1e9 };

export const percent = (share: number) => (100 * share).toFixed(1);
const signed = (share: number) => `${share > 0 ? '+' : ''}${percent(share)}`;

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** A mean in percent, with its interval. @param range of a value @param shown of a number */
export async function withInterval(
  values: readonly number[],
  range: Interval = [0, 1],
  shown = percent,
): Promise<string> {
  const own = Float64Array.from(values);
  const [resampled = own] = await resampledMeans([own], SEED, AbortSignal.any([]));
  const mean = meanOf(values);
  const [low, high] = intervalOf(mean, resampled, values.length, range);
  return `${shown(mean)} [${shown(low)}, ${shown(high)}]`;
}

/** The recalls of the same questions: with a preset, and without it. */
export interface Pair {
  readonly name: string;
  readonly own: number[];
  readonly other: number[];
}

/** Whether a preset is not worse by more than so many points, whatever it is searched with. */
export async function noHarm(figure: string, pairs: readonly Pair[], points: number): Promise<Row> {
  const values: string[] = [];
  let isMet = true;
  for (const { name, own, other } of pairs) {
    const differences = own.map((recall, at) => recall - (other[at] as number));
    values.push(`${name} ${await withInterval(differences, [-1, 1], signed)}`);
    isMet &&= 100 * meanOf(differences) >= -points;
  }
  return { figure, value: values.join(', '), goal: `none below -${points} points`, isMet };
}

export const recallsOf = ({ questions }: EvaluatedCandidate): number[] =>
  questions.map(({ recall }) => recall);

/** A request to evaluate, without documents and questions. */
export interface Comparison {
  readonly candidates: readonly object[];
  readonly k?: number;
  readonly budget?: number;
  readonly embed?: string;
}

/** The service that is measured, on this thread, and what it is asked. */
export class Measured {
  readonly t: Cleanup;
  readonly service: OpenService;

  constructor(t: Cleanup, service: OpenService) {
    this.t = t;
    this.service = service;
  }

  async evaluate(set: DataSet, comparison: Comparison): Promise<Evaluation> {
    return jsonOf<Evaluation>(await this.service.post('/v1/evaluate', requestOf(set, comparison)));
  }

  /** The recalls of two candidates by each retriever. */
  async compare(set: DataSet, own: object, other: object, budget: number): Promise<Pair[]> {
    const candidates = RETRIEVERS.flatMap((retriever) => [own, other].map((one) => ({ ...one, retriever })));
    const found = (await this.evaluate(set, { candidates, budget })).candidates.map(recallsOf);
    return RETRIEVERS.map((name, at) => {
      const [own = [], other = []] = found.slice(2 * at);
      return { name, own, other };
    });
  }

  /** The chunks of a set by `recursive`, and its questions, with their vectors. */
  async plain({ documents, questions }: DataSet, chunk_size: number) {
    const { post } = this.service;
    const text = documents.map((one) => one.text);
    const request = { text, ...TOKENS, chunk_size, offset_unit: 'utf16' };
    const lists = jsonOf<PlainChunk[][]>(await post('/v1/chunk/recursive', request));
    const chunks = lists.flatMap((own, document) => own.map((chunk) => ({ ...chunk, document })));
    const embed = async (texts: string[], purpose: string) =>
      jsonOf<{ embeddings: number[][] }>(await post('/v1/embed', { text: texts, purpose })).embeddings;
    const asked = questions.map(({ question }) => question);
    const vectors = await embed(
      chunks.map((chunk) => chunk.text),
      'document',
    );
    const queries = await embed(asked, 'query');
    return {
      chunks: chunks.map((chunk, at): PlainChunk => ({ ...chunk, vector: vectors[at] as number[] })),
      questions: asked.map((text, at): PlainQuestion => ({ text, vector: queries[at] as number[] })),
    };
  }
}

/** A request about a set. */
export function requestOf({ documents, questions }: DataSet, comparison: Comparison): object {
  const asked = questions.map(({ question, answers }) => ({ question, answers }));
  const searched = { embed: 'context+text', offset_unit: 'utf16', seed: SEED };
  return { ...searched, ...comparison, documents, questions: asked };
}
