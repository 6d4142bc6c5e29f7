import type { EmbeddingModel } from '../../../core/contracts/embedding.ts';
import { type PlainError, toPlainError } from '../../../core/errors.ts';
import { callPlugin } from '../../../core/hosting/plugin-error.ts';
import { jsonBytes, parseJson } from '../../wire/json-body.ts';
import type { Answer, OnPart } from '../answer.ts';
import type { Operation, Run } from '../operation.ts';
import { reportedEmpty } from '../response-metadata.ts';
import type { StageTools } from '../stages.ts';
import { supervisedModel } from '../supervised-model.ts';
import type { AnyRequest, EvaluateTask } from '../tasks.ts';
import { Timer } from '../timings.ts';
import type { IndexTools } from './chunk-index.ts';
import { evaluateCandidate } from './evaluate-candidate.ts';
import type { EvaluationRequest } from './evaluation-request.ts';
import { pipelinesNamed, readEvaluation } from './read-evaluation.ts';
import { type Outcome, writeCandidate } from './write-candidate.ts';

/** A request that names stored pipelines, which its task does not have yet. */
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
    const timings = new Timer(parseSeconds).summary(0, 0, 0);
    return { bytes: new Uint8Array(0), reported: [], timings, unknownPipelines, body };
  },
  label: () => 'evaluate',
};

/**
 * Evaluates the candidates one after the other. One that fails fails alone, and says so in its place.
 *
 * If the answer is wanted in lines, `onPart` gets the line of each candidate as soon as it is there, and the answer itself is
 * empty.
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
    const lines = new Lines(limits.maxAnswerBytes, onPart);
    const outcomes = await evaluateAll(request, run, index, lines);
    return {
      bytes: lines.whole({ embedding_model: model.name, k }),
      reported: [{ 'embedding-model': model.name, ...reportedEmpty(timer.takeEmptyVectors()) }],
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

async function evaluateAll(
  request: EvaluationRequest,
  tools: StageTools,
  index: IndexTools,
  lines: Lines,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [place, candidate] of request.candidates.entries()) {
    const outcome =
      candidate.sameAs === undefined
        ? await outcomeOf(index.signal, () => evaluateCandidate(candidate, request, tools, index))
        : (outcomes[candidate.sameAs] as Outcome);
    outcomes.push(outcome);
    const write = () => lines.add((limit) => writeCandidate(place, candidate, outcome, limit));
    await index.timer.time('serialise', 'json', write);
  }
  return outcomes;
}

async function outcomeOf(
  signal: AbortSignal,
  evaluate: () => Promise<Extract<Outcome, { evaluated: unknown }>['evaluated']>,
): Promise<Outcome> {
  try {
    return { evaluated: await evaluate() };
  } catch (error) {
    signal.throwIfAborted();
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

/** The answers to candidates, which are given away as lines or kept for one answer. */
class Lines {
  readonly #onPart: OnPart | undefined;
  readonly #kept: Uint8Array[] = [];
  #room: number;

  constructor(room: number, onPart: OnPart | undefined) {
    this.#room = room;
    this.#onPart = onPart;
  }

  /** @param write gives an answer of at most so many bytes @throws ServiceError `answer_too_large` */
  add(write: (limit: number) => Uint8Array): void {
    const bytes = write(this.#room);
    this.#room -= bytes.length;
    if (this.#onPart === undefined) this.#kept.push(bytes);
    else this.#onPart(new Uint8Array(Buffer.concat([bytes, BREAK])));
  }

  /** The answer that is not in lines. @param head what it says besides the candidates */
  whole(head: object): Uint8Array<ArrayBuffer> {
    if (this.#onPart !== undefined) return new Uint8Array();
    const parts = this.#kept.flatMap((bytes, at) => (at === 0 ? [bytes] : [COMMA, bytes]));
    const opening = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"candidates":[`);
    return new Uint8Array(Buffer.concat([opening, ...parts, CLOSING]));
  }
}

const BREAK = Buffer.from('\n');
const COMMA = Buffer.from(',');
const CLOSING = Buffer.from(']}');
