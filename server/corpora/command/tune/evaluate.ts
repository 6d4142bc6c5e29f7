import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../../../../core/errors.ts';
import type { Api } from '../../../cli/api.ts';
import { VERSION } from '../../../config/version.ts';
import type { Runner } from '../../../engine/run/runner.ts';
import type { Chunking } from './grid.ts';
import type { CorpusDocument, CorpusQuestion } from './read-corpus.ts';

/** Cheap ones first. */
export const RETRIEVERS = ['bm25', 'dense', 'hybrid'] as const;
export type Retriever = (typeof RETRIEVERS)[number];

/** How well a chunking with a retriever answers the questions. Plain data that is kept in a file. */
export interface Point {
  readonly retriever: Retriever;
  readonly recall: number;
  readonly interval: readonly [low: number, high: number];
  /** Tokens that a question finds, on average. */
  readonly tokens: number;
  readonly chunks: number;
  /** The recall of each question. */
  readonly recalls: readonly number[];
}

/** A chunking that cannot be evaluated says why. */
export type Outcome = readonly Point[] | { readonly error: string };

/** The members of a request that are the same for all chunkings. */
export interface Compared {
  readonly documents: readonly CorpusDocument[];
  readonly questions: readonly CorpusQuestion[];
  readonly budget: number;
  readonly seed: number;
  readonly embedding_model: string | undefined;
}

/** Sends a request to evaluate, and gives the answer. */
export type Send = (body: string) => Promise<Evaluation>;

interface Evaluation {
  readonly candidates: readonly {
    readonly error?: { readonly detail: string };
    readonly recall: number;
    readonly interval: { readonly recall: readonly [number, number] };
    readonly tokens_per_question: number;
    readonly chunks: number;
    readonly questions: readonly { readonly recall: number }[];
  }[];
}

/** Evaluates in the threads of this process. */
export function sendHere(runner: Runner, stop: AbortController): Send {
  const task = { run: 'evaluate', pipelines: new Map() } as const;
  return async (body) => {
    const { bytes } = await runner.run(task, Buffer.from(body), stop, { hasNoDeadline: true });
    return JSON.parse(Buffer.from(bytes).toString());
  };
}

/** Evaluates on a server, which has its own timeout. */
export function sendTo(api: Api, { signal }: AbortController): Send {
  const headers = { 'content-type': 'application/json' };
  return (body) => api.json<Evaluation>({ path: '/v1/evaluate', headers, body }, { signal, timeout: 0 });
}

/** Evaluates chunkings, each with all retrievers in one request, and keeps what is done in a file. */
export class Evaluator {
  readonly #send: Send;
  readonly #shared: string;
  readonly #digest: string;
  readonly #file: string;
  readonly #known = new Map<string, readonly Point[]>();

  /**
   * @param folder where the file is
   * @param where the evaluation is done
   * @param isResumed whether what the file has for the same documents, questions and options is not evaluated again
   */
  constructor(send: Send, compared: Compared, folder: string, where: string, isResumed: boolean) {
    const { documents, questions, ...options } = compared;
    const asked = questions.map(({ question, answers }) => ({ question, answers }));
    const request = { ...options, embed: 'context+text', offset_unit: 'utf16', documents, questions: asked };
    this.#send = send;
    this.#shared = JSON.stringify(request).slice(0, -1);
    this.#digest = digestOf(VERSION, where, this.#shared);
    this.#file = join(folder, 'tune.jsonl');
    if (isResumed) this.#load();
    else rmSync(this.#file, { force: true });
  }

  /** @throws ServiceError or ChunksmithError if nothing can be evaluated; the signal's reason once it aborts */
  async evaluate({ name, steps }: Chunking): Promise<Outcome> {
    const key = digestOf(this.#digest, JSON.stringify(steps));
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const candidates = RETRIEVERS.map((retriever) => ({ name: retriever, steps, retriever }));
    const answer = await this.#send(`${this.#shared},"candidates":${JSON.stringify(candidates)}}`);
    const failed = answer.candidates.find(({ error }) => error !== undefined)?.error;
    if (failed !== undefined) return { error: failed.detail };
    const points = answer.candidates.map((one, at) => ({
      retriever: RETRIEVERS[at] as Retriever,
      recall: one.recall,
      interval: one.interval.recall,
      tokens: one.tokens_per_question,
      chunks: one.chunks,
      recalls: one.questions.map(({ recall }) => recall),
    }));
    this.#keep(`${JSON.stringify({ key, name, points })}\n`);
    return points;
  }

  /** A folder that cannot be written only means that an interrupted run begins again. */
  #keep(line: string): void {
    try {
      mkdirSync(join(this.#file, '..'), { recursive: true });
      appendFileSync(this.#file, line);
    } catch (error) {
      console.error(`--resume will not be possible: ${reasonOf(error)}`);
    }
  }

  /** A line that was cut off is ignored. */
  #load(): void {
    if (!existsSync(this.#file)) return;
    for (const line of readFileSync(this.#file, 'utf8').split('\n')) {
      try {
        const { key, points } = JSON.parse(line) as { key: string; points: readonly Point[] };
        this.#known.set(key, points);
      } catch {}
    }
  }
}

function digestOf(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text.length} ${text}`);
  return hash.digest('hex');
}
