import { setImmediate } from 'node:timers/promises';
import type { EmbeddingModel } from '../../../../core/contracts/embedding.ts';
import { type PlainError, ServiceError, toPlainError } from '../../../../core/errors.ts';
import { callPlugin } from '../../../../core/hosting/plugin-error.ts';
import { ByteWriter } from '../../answer/byte-writer.ts';
import { emptyAnswer, reportedEmpty, reportedFallbacks, Timer } from '../../answer/response-metadata.ts';
import type { Operation, Run } from '../../operation.ts';
import { jsonBytes, parseJson } from '../../read/json.ts';
import { runStages, type StageTools, withStages } from '../../stages/stages.ts';
import { supervisedModel } from '../../stages/supervised-model.ts';
import type { Answer, AnyRequest, EvaluateTask } from '../../tasks.ts';
import { ChunkIndex, type IndexedChunk, type IndexTools } from './chunk-index.ts';
import {
  type Candidate,
  type EvaluationRequest,
  pipelinesNamed,
  type Question,
  readEvaluation,
} from './read-evaluation.ts';
import { meanScores, scoresOf } from './scores.ts';

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
 * If the answer is wanted in lines, `onPart` gets the line of each candidate as soon as it is ready, and the answer
 * itself is empty.
 *
 * @throws ServiceError what fails all candidates: the model, or an answer that is too large
 * @throws the signal's reason once it aborts
 */
async function runEvaluation(request: EvaluationRequest, run: Run): Promise<Answer> {
  const { signal, limits, onPart } = run;
  const { k, embedding_model, embed, offset_unit: unit } = request.options;
  const timer = new Timer(request.parseSeconds);
  const lease = await run.openers.model(embedding_model, signal);
  try {
    if (lease.isNew) timer.opened(lease.value.name);
    const model = supervisedModel(lease.value, run.log, timer);
    const questions = await embedQuestions(request, model, signal);
    const index: IndexTools = { model, questions, k, embed, unit, timer, limits, signal };
    const { outcomes, written } = await evaluateAll(request, run, index);
    const head = { embedding_model: model.name, k };
    return {
      bytes: onPart === undefined ? wholeAnswer(head, written) : new Uint8Array(),
      reported: [
        {
          'embedding-model': model.name,
          ...reportedEmpty(timer.takeEmptyVectors()),
          ...reportedFallbacks(timer.takeFallbacks()),
        },
      ],
      ...summaryOf(request, outcomes, timer),
    };
  } finally {
    lease.release();
  }
}

async function embedQuestions(
  { questions }: EvaluationRequest,
  model: EmbeddingModel,
  signal: AbortSignal,
): Promise<IndexTools['questions']> {
  const texts = questions.map(({ text }) => text);
  const embed = () => model.embed(texts, { purpose: 'query', signal });
  const vectors = await callPlugin({ manifest: { kind: 'embedding', name: model.name } }, embed);
  return { vectors, count: texts.length };
}

/** Evaluates the candidates, and writes the outcome of each: its line is emitted at once if lines are wanted. */
async function evaluateAll(request: EvaluationRequest, run: Run, index: IndexTools) {
  const { limits, onPart } = run;
  const outcomes: Outcome[] = [];
  const written: Uint8Array[] = [];
  let room = limits.maxAnswerBytes;
  for (const [place, candidate] of request.candidates.entries()) {
    const outcome =
      candidate.sameAs === undefined
        ? await outcomeOf(candidate, request, run, index)
        : (outcomes[candidate.sameAs] as Outcome);
    outcomes.push(outcome);
    const write = () => writeCandidate(place, candidate, outcome, room);
    const bytes = await index.timer.time('serialise', 'json', write);
    room -= bytes.length;
    if (onPart === undefined) written.push(bytes);
    else onPart(new Uint8Array(Buffer.concat([bytes, BREAK])));
  }
  return { outcomes, written };
}

async function outcomeOf(
  candidate: Candidate,
  request: EvaluationRequest,
  run: Run,
  index: IndexTools,
): Promise<Outcome> {
  try {
    return { evaluated: await evaluateCandidate(candidate, request, run, index) };
  } catch (error) {
    run.signal.throwIfAborted();
    return { error };
  }
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

/** The answer if it is not in lines. @param head everything besides the candidates */
function wholeAnswer(head: object, candidates: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const parts = candidates.flatMap((bytes, at) => (at === 0 ? [bytes] : [COMMA, bytes]));
  const opening = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"candidates":[`);
  return new Uint8Array(Buffer.concat([opening, ...parts, CLOSING]));
}

const BREAK = Buffer.from('\n');
const COMMA = Buffer.from(',');
const CLOSING = Buffer.from(']}');

/** The outcome of a candidate. */
type Outcome = { readonly evaluated: ReturnType<typeof evaluated> } | { readonly error: unknown };

const FIRST_SIZE = 1024;

/**
 * Writes the outcome of a candidate as a JSON object, with its questions one by one, because there may be many.
 *
 * @param index its place in the request
 * @param limit maximum bytes
 * @throws ServiceError `answer_too_large`
 */
function writeCandidate(
  index: number,
  { name, sameAs }: Candidate,
  outcome: Outcome,
  limit: number,
): Uint8Array<ArrayBuffer> {
  const head = { index, name, ...(sameAs === undefined ? {} : { same_as: sameAs }) };
  const writer = new ByteWriter(limit, FIRST_SIZE);
  if ('error' in outcome) {
    writer.json(JSON.stringify({ ...head, error: errorOf(outcome.error) }));
    return writer.written();
  }
  const { scores, tokensPerQuestion, chunks, questions } = outcome.evaluated;
  const figures = { ...rounded(scores), tokens_per_question: round(tokensPerQuestion), chunks };
  writer.json(`${JSON.stringify({ ...head, ...figures }).slice(0, -1)},"questions":[`);
  questions.forEach((question, at) => {
    writer.json(`${at === 0 ? '' : ','}${JSON.stringify(questionOf(question))}`);
  });
  writer.ascii(']}');
  return writer.written();
}

function questionOf({ scores, tokens, found }: ReturnType<typeof evaluated>['questions'][number]): object {
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
 * Chunks the documents with a candidate, and runs each question against the chunks.
 *
 * @throws ServiceError errors of the candidate's plugins and the model; `invalid_parameters` if there are too many
 *   chunks
 * @throws the signal's reason once it aborts
 */
function evaluateCandidate(
  list: Candidate,
  { documents, starts, questions }: EvaluationRequest,
  tools: StageTools,
  index: IndexTools,
): Promise<ReturnType<typeof evaluated>> {
  const { signal, timer } = index;
  return withStages(list, { tools, timer, report() {} }, async (stages) => {
    const chunks = new ChunkIndex(index);
    for (const [at, document] of documents.entries()) {
      // Plugins that never await would otherwise prevent the abort of the signal from being noticed.
      await setImmediate();
      signal.throwIfAborted();
      await chunks.add(document, await runStages(stages, document), at, starts[at] as number);
    }
    await chunks.flush();
    return evaluated(questions, chunks, signal);
  });
}

/** What the questions find with a candidate, with the mean of their scores. */
function evaluated(questions: readonly Question[], index: ChunkIndex, signal: AbortSignal) {
  const { chunks, nearest } = index;
  const ranges = chunks.map(({ range }) => range);
  const each = questions.map(({ answer }, at) => {
    signal.throwIfAborted();
    const neighbours = nearest
      .of(at)
      .map(({ chunk, score }) => ({ ...(chunks[chunk] as IndexedChunk), score }));
    const scores = scoresOf(
      answer,
      neighbours.map(({ range }) => range),
      ranges,
    );
    // Nearest first.
    const found = neighbours.map(({ range: _, ...fields }) => fields);
    return { scores, tokens: tokensOf(found), found };
  });
  return {
    scores: meanScores(each.map(({ scores }) => scores)),
    tokensPerQuestion: each.reduce((sum, { tokens }) => sum + tokens, 0) / each.length,
    chunks: chunks.length,
    tokens: tokensOf(chunks),
    questions: each,
  };
}

function tokensOf(chunks: readonly Pick<IndexedChunk, 'token_count'>[]): number {
  return chunks.reduce((sum, { token_count }) => sum + token_count, 0);
}
