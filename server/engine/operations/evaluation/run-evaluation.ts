import { setImmediate } from 'node:timers/promises';
import { ServiceError, toPlainError } from '../../../../core/errors.ts';
import { callPlugin } from '../../../../core/hosting/plugin-error.ts';
import { ByteWriter } from '../../answer/byte-writer.ts';
import { emptyAnswer, reportedCounts, Timer } from '../../answer/response-metadata.ts';
import type { Operation, Run } from '../../operation.ts';
import { jsonBytes, parseJson } from '../../read/json.ts';
import { runStages, withStages } from '../../stages/stages.ts';
import { supervisedModel } from '../../stages/supervised-model.ts';
import { placeRefusal } from '../../stages/windows.ts';
import type { Answer, AnyRequest, EvaluateTask } from '../../tasks.ts';
import { intervalOf, resampledMeans } from './bootstrap.ts';
import { ChunkIndex, type IndexedChunk, type Tools } from './chunk-index.ts';
import { withinBudget } from './ranking.ts';
import { type Candidate, type EvaluationRequest, pipelinesNamed, readEvaluation } from './read-evaluation.ts';
import type { Retriever } from './schemas.ts';
import { INTERVALS, meanScores, type Range, type Scores, scoresOf } from './scores.ts';
import { type Compared, verdictIn } from './verdict.ts';

/** A request that names stored pipelines which its task lacks. */
interface UnnamedRequest extends AnyRequest {
  readonly unknownPipelines: readonly string[];
  readonly body: Uint8Array<ArrayBuffer>;
}

export const evaluateOperation: Operation<EvaluateTask, EvaluationRequest | UnnamedRequest> = {
  plugins: () => undefined,
  read({ pipelines }, bytes, rules) {
    const body = jsonBytes(bytes);
    const request = parseJson(body);
    const unknownPipelines = pipelines === undefined ? pipelinesNamed(request) : [];
    if (unknownPipelines.length === 0) return readEvaluation(request, body, pipelines ?? new Map(), rules);
    return { run: 'evaluate', uses: [], unknownPipelines, body: bytes as Uint8Array<ArrayBuffer> };
  },
  async run(request, run) {
    if ('candidates' in request) return runEvaluation(request, run);
    const { unknownPipelines, body, parseSeconds } = request;
    return { ...emptyAnswer(parseSeconds), unknownPipelines, body };
  },
  label: () => 'evaluate',
};

/**
 * Evaluates the candidates in turn. A failing candidate gets its error as the result, and does not affect the
 * other candidates. `onPart`, if given, gets each candidate's line as soon as the line is ready, then the
 * verdict's line. The answer itself is then empty.
 *
 * @throws ServiceError failures of all candidates: the model, the tokenizer, or an answer that is too large
 * @throws the signal's reason once it aborts
 */
async function runEvaluation(request: EvaluationRequest, run: Run): Promise<Answer> {
  const { signal, openers } = run;
  const { embedding_model: named, tokenizer: counts, long_texts: longTexts } = request.options;
  const timer = new Timer(request.parseSeconds);
  const needsModel = request.candidates.some(({ retriever }) => retriever !== 'bm25');
  const lease = needsModel ? await openers.model(named as string, signal) : undefined;
  try {
    if (lease?.isNew) timer.opened(lease.value, named as string);
    const model = lease && supervisedModel(lease.value, { log: run.log, timer, longTexts });
    const tokenizer = counts === undefined ? undefined : await openers.tokenizer(counts);
    const texts = request.questions.map(({ text }) => text);
    const embed = () =>
      model?.embed(texts, { purpose: 'query', signal }).catch((error: unknown) => {
        throw placeRefusal(error, 'questions');
      });
    const questions =
      model && (await callPlugin({ manifest: { kind: 'embedding', name: model.name } }, embed));
    const dense = questions && { model, questions };
    const answer = await evaluateAll({ request, run, timer, dense, tokenizer });
    // Chunks are not counted, because a candidate that is repeated is chunked once. `emptyAt` is emptied, because
    // chunks of different candidates have the same indexes.
    const reported = { ...timer.takeCounts(), oversize: 0, emptyAt: [] };
    return { ...answer, reported: [reportedCounts(reported, ...(model === undefined ? [] : [model.name]))] };
  } finally {
    lease?.release();
  }
}

type Outcome = Evaluated | { readonly error: unknown };

interface Evaluated extends Compared {
  /** Tokens of all chunks. */
  readonly tokens: number;
  /** Members of the candidate's answer, except its questions, which may be many and are already JSON. */
  readonly figures: Readonly<Record<string, unknown>> & { readonly chunks: number };
  readonly questions: Uint8Array;
}

async function evaluateAll(tools: Tools): Promise<Pick<Answer, 'bytes' | 'timings' | 'failures'>> {
  const { request, run, timer, dense } = tools;
  const { candidates, documents, options } = request;
  const answer = new AnswerWriter(run);
  // Skips candidates that repeat an earlier candidate.
  const outcomes: Outcome[] = [];
  for (const [index, candidate] of candidates.entries()) {
    if (candidate.chunkedAs === index) await evaluateChunking(index, tools, outcomes);
    const outcome = outcomes[candidate.sameAs ?? index] as Outcome;
    await timer.time('serialise', 'json', () => answer.candidate(index, candidate, outcome));
  }
  const evaluated = outcomes.flatMap((one) => ('error' in one ? [] : [one]));
  const verdict = await verdictIn(evaluated, options, run.signal);
  const { k, budget, tokenizer } = options;
  const counted = budget === undefined ? { k } : { budget };
  const head = { embedding_model: dense?.model.name ?? null, ...counted, tokenizer };
  const bytes = await timer.time('serialise', 'json', () => answer.end(head, verdict));
  const chunks = evaluated.reduce((sum, { figures }) => sum + figures.chunks, 0);
  const tokens = evaluated.reduce((sum, one) => sum + one.tokens, 0);
  return {
    bytes,
    timings: timer.summary(documents.length, chunks, tokens),
    failures: outcomes.flatMap((one) => ('error' in one ? [toPlainError(one.error)] : [])),
  };
}

/**
 * Evaluates all candidates that are chunked like the first one. They share its chunks, vectors and words.
 *
 * @throws ServiceError `answer_too_large`
 * @throws the signal's reason once it aborts
 */
async function evaluateChunking(first: number, tools: Tools, outcomes: Outcome[]): Promise<void> {
  const { candidates } = tools.request;
  const own = [...candidates.entries()].filter(
    ([, { chunkedAs, sameAs }]) => chunkedAs === first && sameAs === undefined,
  );
  const chunks = new ChunkIndex(tools, new Set(own.map(([, { retriever }]) => retriever)));
  let failure: unknown;
  try {
    await fill(chunks, candidates[first] as Candidate, tools);
  } catch (error) {
    tools.run.signal.throwIfAborted();
    failure = error;
  }
  for (const [index, { name, retriever }] of own) {
    const error = failure ?? chunks.failureOf(retriever);
    if (error === undefined) outcomes[index] = { index, name, ...(await evaluate(chunks, retriever, tools)) };
    else outcomes[index] = { error };
  }
}

/** @throws ServiceError errors of the candidate's plugins and of the index */
function fill(index: ChunkIndex, list: Candidate, { request, run, timer }: Tools): Promise<void> {
  return withStages(list, { tools: run, timer, report() {} }, async (stages) => {
    for (const [at, document] of request.documents.entries()) {
      // Without this pause, plugins that never await would hide an abort of the signal.
      await setImmediate();
      run.signal.throwIfAborted();
      await index.add(await runStages(stages, document), at);
    }
    await index.flush();
  });
}

/** Initial bytes for the questions of a candidate. */
const FIRST_SIZE = 1024;

async function evaluate(
  index: ChunkIndex,
  retriever: Retriever,
  { request: { questions, options }, run, timer }: Tools,
): Promise<Omit<Evaluated, 'index' | 'name'>> {
  const { chunks, ranges } = index;
  const { k, budget } = options;
  const tokensAt = (chunk: number) => (chunks[chunk] as IndexedChunk).token_count;
  const all: Scores[] = [];
  let foundTokens = 0;
  const json = new ByteWriter(run.limits.maxAnswerBytes, FIRST_SIZE);
  for (const [at, { answer }] of questions.entries()) {
    await setImmediate();
    run.signal.throwIfAborted();
    const ranked = index.search(at, retriever);
    const best = budget === undefined ? ranked.slice(0, k) : withinBudget(ranked, budget, tokensAt);
    const found = best.map(({ chunk, score }) => ({ ...chunks[chunk], score }));
    const tokens = best.reduce((sum, { chunk }) => sum + tokensAt(chunk), 0);
    const own = scoresOf(
      answer,
      best.map(({ chunk }) => ranges[chunk] as Range),
      ranges,
    );
    all.push(own);
    foundTokens += tokens;
    const write = () => json.json(`${at === 0 ? '' : ','}${written({ ...own, tokens, found })}`);
    await timer.time('serialise', 'json', write);
  }
  const means = meanScores(all);
  const found = foundTokens / questions.length;
  const interval = await intervalsOf(means, all, options.seed, run.signal);
  return {
    recalls: Float64Array.from(all, ({ recall }) => recall),
    found,
    largest: chunks.reduce((most, { token_count }) => Math.max(most, token_count), 0),
    tokens: chunks.reduce((sum, { token_count }) => sum + token_count, 0),
    figures: { ...means, tokens_per_question: found, chunks: chunks.length, interval },
    questions: json.written(),
  };
}

async function intervalsOf(means: Scores, all: readonly Scores[], seed: number, signal: AbortSignal) {
  const columns = INTERVALS.map((name) => Float64Array.from(all, (scores) => scores[name]));
  const resampled = await resampledMeans(columns, seed, signal);
  const intervals = INTERVALS.map((name, at) => {
    const interval = intervalOf(means[name], resampled[at] as Float64Array, all.length, [0, 1]);
    return [name, interval];
  });
  return Object.fromEntries(intervals) as object;
}

/** JSON with at most six decimals per number. */
function written(value: object | null): string {
  const round = (_: string, one: unknown) => (typeof one === 'number' ? Math.round(one * 1e6) / 1e6 : one);
  return JSON.stringify(value, round);
}

class AnswerWriter {
  readonly #onPart: Run['onPart'];
  readonly #limit: number;
  readonly #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor({ onPart, limits }: Run) {
    this.#onPart = onPart;
    this.#limit = limits.maxAnswerBytes;
  }

  /** @throws ServiceError `answer_too_large` */
  candidate(index: number, { name, sameAs: same_as, retriever }: Candidate, outcome: Outcome): void {
    const head = { index, name, same_as, retriever };
    if ('error' in outcome) {
      const { error } = outcome;
      const { status, detail } =
        error instanceof ServiceError ? error : new ServiceError('internal', {}, error);
      this.#add(JSON.stringify({ ...head, error: { status, detail } }));
    } else {
      const members = written({ ...head, ...outcome.figures }).slice(0, -1);
      this.#add(`${members},"questions":[`, outcome.questions, ']}');
    }
  }

  /** Finishes the answer; returns no bytes if it is streamed as lines. @param head first members of the JSON */
  end(head: object, verdict: object | null): Uint8Array<ArrayBuffer> {
    if (this.#onPart !== undefined) {
      this.#add(written({ verdict }));
      return new Uint8Array();
    }
    const opening = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"candidates":[`);
    const closing = Buffer.from(`],"verdict":${written(verdict)}}`);
    return joined([opening, ...this.#parts.slice(0, -1), closing]);
  }

  #add(...json: (string | Uint8Array)[]): void {
    const ended = [...json, this.#onPart === undefined ? ',' : '\n'];
    const parts = ended.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
    this.#bytes += parts.reduce((sum, { length }) => sum + length, 0);
    if (this.#bytes > this.#limit)
      throw new ServiceError('answer_too_large', { bytes: this.#bytes, limit: this.#limit });
    if (this.#onPart === undefined) this.#parts.push(...parts);
    else this.#onPart(joined(parts));
  }
}

/** Joins byte arrays into memory that nothing else uses, so that the memory can be transferred. */
function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
