import type { Chunk } from '../core/contracts.ts';
import { ServiceError } from '../core/errors.ts';
import { type ChunkedText, writeChunks } from '../core/json-chunks.ts';
import { findTextLiterals, type JsonText, toJsonText } from '../core/json-text.ts';
import { checkOrder, type PipelineStep, runStages, type Stage } from '../core/pipeline.ts';
import { executeRequest } from '../core/requests.ts';
import { createIdentify } from './chunk-ids.ts';
import { jsonBytes, parseJson } from './json-body.ts';
import type { PluginCalls } from './plugin-calls.ts';
import { createValidator } from './validation.ts';

/** What the service does, on bytes; it knows nothing of HTTP. All of it throws `ServiceError`. */
export interface Service {
  /** Runs a chunker on a JSON request and answers with JSON. */
  chunk(name: string, body: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
  /** Runs a refinery on a JSON request and answers with JSON. */
  refine(name: string, body: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
  /** Runs the steps of a pipeline on a JSON request and answers with JSON. */
  execute(steps: readonly PipelineStep[], body: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
  /** Checks the configuration of a step, if its plugin is installed. `place` is such as `steps[1]`. */
  checkStep(step: PipelineStep, place: string): void;
  /** Whether a task may run on the event loop: nothing that it uses is heavy. */
  isLight(task: Task, body: Uint8Array): boolean;
}

/** A piece of work for the service, as plain data that can go to another thread. */
export type Task =
  | { readonly run: 'chunk' | 'refine'; readonly name: string }
  | { readonly run: 'execute'; readonly steps: readonly PipelineStep[] };

const checkExecution = createValidator(executeRequest);

export function createService(calls: PluginCalls, maxAnswerBytes: number): Service {
  return { chunk, refine, execute, checkStep, isLight };

  async function chunk(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    const body = jsonBytes(bytes);
    const { text, ...options } = calls.checkChunk(name, parseJson(body));
    const call = await calls.chunker(name, options);
    const documents: ChunkedText[] = [];
    for (const { content, json } of documentsOf(body, text as string | string[])) {
      documents.push({ json, spans: await call.chunk(content, signal) });
    }
    return writeChunks(documents, call.unit, Array.isArray(text), maxAnswerBytes);
  }

  async function refine(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    const { chunks, ...options } = calls.checkRefine(name, parseJson(jsonBytes(bytes)));
    const call = await calls.refinery(name, options);
    const lists = (isBatch(chunks) ? chunks : [chunks]) as Chunk[][];
    const refined: Chunk[][] = [];
    for (const list of lists) refined.push(await call.refine(list, signal));
    return writeJson(isBatch(chunks) ? refined : refined[0]);
  }

  async function execute(
    steps: readonly PipelineStep[],
    bytes: Uint8Array,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const body = jsonBytes(bytes);
    const { text } = checkExecution(parseJson(body)) as { text: string | string[] };
    checkOrder(steps);
    const stages: Stage[] = [];
    for (const [index, step] of steps.entries()) stages.push(await stageOf(step, index));
    const answers: Chunk[][] = [];
    for (const { content, json } of documentsOf(body, text)) {
      const identify = createIdentify(steps, content);
      const placed = await runStages(stages, content, json, signal);
      answers.push(
        placed.map(({ span, chunk }) => ({ id: identify(span), context: null, embedding: null, ...chunk })),
      );
    }
    return writeJson(Array.isArray(text) ? answers : answers[0]);
  }

  async function stageOf(step: PipelineStep, index: number): Promise<Stage> {
    const place = `steps[${index}].config.`;
    const { kind, name } = pluginOf(step);
    const options = calls.checkStep(kind, name, step.config, place);
    return kind === 'chunker' ? calls.chunker(name, options) : calls.refinery(name, options);
  }

  function checkStep(step: PipelineStep, place: string): void {
    const { kind, name } = pluginOf(step);
    if (calls.isInstalled(kind, name)) calls.checkStep(kind, name, step.config, `${place}.config.`);
  }

  function isLight(task: Task, body: Uint8Array): boolean {
    if (task.run === 'execute') {
      return task.steps.every((step) => {
        const { kind, name } = pluginOf(step);
        return calls.isLight(kind, name, step.config);
      });
    }
    const options = (parseJson(jsonBytes(body)) ?? {}) as Record<string, unknown>;
    return calls.isLight(task.run === 'chunk' ? 'chunker' : 'refinery', task.name, options);
  }

  function writeJson(value: unknown): Uint8Array {
    const answer = Buffer.from(JSON.stringify(value));
    if (answer.length <= maxAnswerBytes) return answer;
    throw new ServiceError('answer_too_large', { bytes: answer.length, limit: maxAnswerBytes, hint: '' });
  }
}

export function runTask(
  service: Service,
  task: Task,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (task.run === 'execute') return service.execute(task.steps, body, signal);
  return service[task.run](task.name, body, signal);
}

interface Document {
  readonly content: string;
  readonly json: JsonText;
}

function documentsOf(body: Buffer, text: string | string[]): Document[] {
  const texts = Array.isArray(text) ? text : [text];
  const literals = findTextLiterals(body, 'text') ?? texts.map(toJsonText);
  return texts.map((content, index) => ({ content, json: literals[index] as JsonText }));
}

/** Whether chunks are those of many documents. */
function isBatch(chunks: unknown): boolean {
  return Array.isArray((chunks as unknown[])[0]);
}

function pluginOf({ type, chunker, refinery }: PipelineStep): { kind: 'chunker' | 'refinery'; name: string } {
  return type === 'chunk'
    ? { kind: 'chunker', name: chunker ?? '' }
    : { kind: 'refinery', name: refinery ?? '' };
}
