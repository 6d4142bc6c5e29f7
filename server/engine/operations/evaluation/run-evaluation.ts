import { setImmediate } from 'node:timers/promises';
import type { EmbeddingModel, Vectors } from '../../../../core/contracts/embedding.ts';
import { type PlainError, toPlainError } from '../../../../core/errors.ts';
import { callPlugin } from '../../../../core/hosting/plugin-error.ts';
import { emptyAnswer, reportedVectors, Timer } from '../../answer/response-metadata.ts';
import type { Operation, Run } from '../../operation.ts';
import { jsonBytes, parseJson } from '../../read/json.ts';
import { runStages, type StageTools, withStages } from '../../stages/stages.ts';
import { supervisedModel } from '../../stages/supervised-model.ts';
import type { Answer, AnyRequest, EvaluateTask } from '../../tasks.ts';
import { intervalOf, resampledMeans } from './bootstrap.ts';
import { ChunkIndex, type IndexedChunk, type IndexTools } from './chunk-index.ts';
import { LISTED, withinBudget } from './ranking.ts';
import { type Candidate, type EvaluationRequest, pipelinesNamed, readEvaluation } from './read-evaluation.ts';
import type { Retriever } from './schemas.ts';
import { meanScores, type Scores, scoresOf } from './scores.ts';
import {
  type Evaluated,
  type EvaluatedQuestion,
  EvaluationWriter,
  INTERVALS,
  type Outcome,
  verdictIn,
} from './write-evaluation.ts';

/** A request that names stored pipelines missing from its task. */
interface UnnamedRequest extends AnyRequest {
  readonly unknownPipelines: readonly string[];
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Candidates that are compared. */
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
 * Evaluates the candidates one after the other. The failure of one is reported in its place and does not affect the
 * others.
 * If the answer is wanted in lines, `onPart` gets the line of each candidate as soon as it is ready and then that of the
 * verdict, and the answer itself is empty.
 *
 * @throws ServiceError what fails all candidates: the model, the tokenizer, or an answer that is too large
 * @throws the signal's reason once it aborts
 */
async function runEvaluation(request: EvaluationRequest, run: Run): Promise<Answer> {
  const { signal } = run;
  const { options, candidates } = request;
  const timer = new Timer(request.parseSeconds);
  const needsModel = candidates.some(({ retriever }) => retriever !== 'bm25');
  const lease = needsModel ? await run.openers.model(options.embedding_model as string, signal) : undefined;
  try {
    if (lease?.isNew) timer.opened(lease.value.name);
    const model = lease && supervisedModel(lease.value, run.log, timer);
    const index = await indexTools(request, run, timer, model);
    const { outcomes, bytes } = await evaluateAll(request, run, index);
    // Chunks of several candidates have the same indexes.
    const vectors = { ...timer.takeVectors(), emptyAt: [] };
    return {
      bytes,
      reported: [reportedVectors(vectors, ...(model === undefined ? [] : [model.name]))],
      ...summaryOf(request, outcomes, timer),
    };
  } finally {
    lease?.release();
  }
}

async function indexTools(
  { questions: asked, options }: EvaluationRequest,
  { openers, limits, signal }: Run,
  timer: Timer,
  model: EmbeddingModel | undefined,
): Promise<IndexTools> {
  const { tokenizer: counts, budget, k, embed, offset_unit: unit } = options;
  const tokenizer = counts === undefined ? undefined : await openers.tokenizer(counts);
  const questions = asked.map(({ text }) => text);
  const dense = model && { model, questions: await embedQuestions(questions, model, signal) };
  const most = budget === undefined ? k : LISTED;
  return { dense, tokenizer, questions, most, embed, unit, timer, limits, signal };
}

function embedQuestions(
  texts: readonly string[],
  model: EmbeddingModel,
  signal: AbortSignal,
): Promise<Vectors> {
  const embed = () => model.embed(texts, { purpose: 'query', signal });
  return callPlugin({ manifest: { kind: 'embedding', name: model.name } }, embed);
}

/** Evaluates the candidates, and writes the outcome of each: its line is emitted at once if lines are wanted. */
async function evaluateAll(request: EvaluationRequest, run: Run, index: IndexTools) {
  const { candidates } = request;
  const { timer, signal } = index;
  const writer = new EvaluationWriter(request, index.dense?.model.name ?? null, run);
  const outcomes: Outcome[] = [];
  for (const [place, { chunkedAs, sameAs }] of candidates.entries()) {
    if (chunkedAs === place) await evaluateChunking(place, { request, run, index, outcomes });
    if (sameAs !== undefined) outcomes[place] = outcomes[sameAs] as Outcome;
    await timer.time('serialise', 'json', () => writer.candidate(place, outcomes[place] as Outcome));
  }
  const verdict = await verdictIn(request, outcomes, signal);
  const bytes = await timer.time('serialise', 'json', () => writer.end(verdict));
  return { outcomes, bytes };
}

/** The outcomes of all candidates that chunk as the first of them does: they share their chunks, vectors and words. */
async function evaluateChunking(
  first: number,
  {
    request,
    run,
    index,
    outcomes,
  }: { request: EvaluationRequest; run: Run; index: IndexTools; outcomes: Outcome[] },
): Promise<void> {
  const own = [...request.candidates.entries()].filter(
    ([, { chunkedAs, sameAs }]) => chunkedAs === first && sameAs === undefined,
  );
  const chunks = new ChunkIndex(index, new Set(own.map(([, { retriever }]) => retriever)));
  const settled = (work: Promise<Evaluated>) =>
    work.then(
      (evaluated): Outcome => ({ evaluated }),
      (error: unknown): Outcome => {
        run.signal.throwIfAborted();
        return { error };
      },
    );
  const filled = fill(chunks, request.candidates[first] as Candidate, request, run, index);
  for (const [place, { retriever }] of own)
    outcomes[place] = await settled(filled.then(() => evaluate(request, chunks, retriever, index)));
}

/**
 * Chunks the documents with a candidate.
 *
 * @throws ServiceError errors of the candidate's plugins and the model; `invalid_parameters` if there are too many
 *   chunks
 * @throws the signal's reason once it aborts
 */
function fill(
  chunks: ChunkIndex,
  list: Candidate,
  { documents, starts }: EvaluationRequest,
  tools: StageTools,
  { signal, timer }: IndexTools,
): Promise<void> {
  return withStages(list, { tools, timer, report() {} }, async (stages) => {
    for (const [at, document] of documents.entries()) {
      // Plugins that never await would otherwise prevent the abort of the signal from being noticed.
      await setImmediate();
      signal.throwIfAborted();
      await chunks.add(document, await runStages(stages, document), at, starts[at] as number);
    }
    await chunks.flush();
  });
}

/** What the questions find with a candidate, with the means of their scores and the intervals of these. */
async function evaluate(
  { questions, options }: EvaluationRequest,
  index: ChunkIndex,
  retriever: Retriever,
  { most, signal }: IndexTools,
): Promise<Evaluated> {
  const { chunks } = index;
  const ranges = chunks.map(({ range }) => range);
  const tokensAt = (chunk: number) => (chunks[chunk] as IndexedChunk).token_count;
  const each: EvaluatedQuestion[] = [];
  for (const [at, { answer }] of questions.entries()) {
    await setImmediate();
    signal.throwIfAborted();
    const ranked = index.search(at, retriever);
    const { budget } = options;
    const best = budget === undefined ? ranked.slice(0, most) : withinBudget(ranked, budget, tokensAt);
    const neighbours = best.map(({ chunk, score }) => ({ ...(chunks[chunk] as IndexedChunk), score }));
    const scores = scoresOf(
      answer,
      neighbours.map(({ range }) => range),
      ranges,
    );
    const found = neighbours.map(({ range: _, ...fields }) => fields);
    each.push({ scores, tokens: tokensOf(found), found });
  }
  const scores = meanScores(each.map((one) => one.scores));
  return {
    retriever,
    scores,
    interval: await intervalsOf(scores, each, options.seed, signal),
    tokensPerQuestion: each.reduce((sum, { tokens }) => sum + tokens, 0) / each.length,
    chunks: chunks.length,
    tokens: tokensOf(chunks),
    largest: chunks.reduce((most, { token_count }) => Math.max(most, token_count), 0),
    questions: each,
  };
}

async function intervalsOf(
  means: Scores,
  each: readonly EvaluatedQuestion[],
  seed: number,
  signal: AbortSignal,
): Promise<Evaluated['interval']> {
  const own = INTERVALS.map((name) => Float64Array.from(each, ({ scores }) => scores[name]));
  const resampled = await resampledMeans(own, seed, signal);
  const intervals = INTERVALS.map((name, at) => [
    name,
    intervalOf(means[name], resampled[at] as Float64Array, each.length, [0, 1]),
  ]);
  return Object.fromEntries(intervals) as Evaluated['interval'];
}

function summaryOf(
  { documents, candidates }: EvaluationRequest,
  outcomes: readonly Outcome[],
  timer: Timer,
): Pick<Answer, 'timings' | 'failures'> {
  const failures: PlainError[] = [];
  let [chunks, tokens] = [0, 0];
  for (const [place, outcome] of outcomes.entries()) {
    if (candidates[place]?.sameAs !== undefined) continue;
    if ('error' in outcome) failures.push(toPlainError(outcome.error));
    else {
      chunks += outcome.evaluated.chunks;
      tokens += outcome.evaluated.tokens;
    }
  }
  return { timings: timer.summary(documents.length, chunks, tokens), failures };
}

function tokensOf(chunks: readonly Pick<IndexedChunk, 'token_count'>[]): number {
  return chunks.reduce((sum, { token_count }) => sum + token_count, 0);
}
