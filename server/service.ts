import type { Chunk } from '../core/contracts.ts';
import { type Facts, FactsOfDocuments } from '../core/facts.ts';
import { type ChunkedText, writeChunks } from '../core/json-chunks.ts';
import { type OutputChunk, writeObjects, writeOutputs } from '../core/json-objects.ts';
import { canonicalJsonText, findTextLiterals, type JsonText, toJsonText } from '../core/json-text.ts';
import { checkOrder, type PipelineStep, runStages } from '../core/pipeline.ts';
import { executeRequest } from '../core/requests.ts';
import { nameChunks, seedOf } from './chunk-ids.ts';
import { jsonBytes, parseJson } from './json-body.ts';
import { checkChunks, checkOptions, checkTexts, type Limits } from './limits.ts';
import { type Measures, Stopwatch } from './measures.ts';
import type { CallContext, ChunkCall, PluginCalls, RefineCall } from './plugin-calls.ts';
import { createValidator } from './validation.ts';

/** What the service does, on bytes; it knows nothing of HTTP. All of it throws `ServiceError`. */
export interface Service {
  /** Checks a task and its JSON request; what comes back is ready to run. */
  prepare(task: Task, body: Uint8Array): PreparedTask;
  /** Checks the configuration of a step, if its plugin is installed. `place` is such as `steps[1]`. */
  checkStep(step: PipelineStep, place: string): void;
}

/** A task whose request is in order. */
export interface PreparedTask {
  /** Whether it may run on the event loop: nothing that it uses is heavy. */
  readonly isLight: boolean;
  run(signal: AbortSignal): Promise<Answer>;
}

/** What a task answers. */
export interface Answer {
  /** JSON in UTF-8. */
  readonly bytes: Uint8Array;
  /** What the plugins say of it. */
  readonly facts: Facts;
  readonly measures: Measures;
}

/** A piece of work for the service, as plain data that can go to another thread. */
export type Task =
  | { readonly run: 'chunk'; readonly name: string }
  | { readonly run: 'refine'; readonly name: string }
  | { readonly run: 'execute'; readonly steps: readonly PipelineStep[] };

const checkExecution = createValidator(executeRequest);

export function createService(calls: PluginCalls, limits: Limits): Service {
  return { prepare, checkStep };

  function prepare(task: Task, bytes: Uint8Array): PreparedTask {
    const start = performance.now();
    const body = jsonBytes(bytes);
    const request = parseJson(body);
    const { isLight, work } = readTask(task, body, request);
    const parseSeconds = (performance.now() - start) / 1000;
    return {
      isLight,
      async run(signal) {
        const run = new TaskRun(signal, parseSeconds);
        try {
          return await work(run);
        } finally {
          run.end();
        }
      },
    };
  }

  function readTask(task: Task, body: Buffer, request: unknown): ReadTask {
    if (task.run === 'chunk') return readChunk(task.name, body, request);
    if (task.run === 'refine') return readRefine(task.name, request);
    return readExecute(task.steps, body, request);
  }

  function readChunk(name: string, body: Buffer, request: unknown): ReadTask {
    const { text, ...options } = calls.checkChunk(name, request) as TextRequest;
    checkTexts(text, limits);
    checkOptions(options, limits);
    return {
      isLight: calls.isLight('chunker', name, options),
      async work(run) {
        const call = await run.borrow(calls.chunker(name, options, run));
        const documents: ChunkedText[] = [];
        for (const { content, json } of documentsOf(body, text)) {
          run.facts.nextDocument();
          documents.push({ json, spans: await call.chunk(content) });
        }
        const counted = documents.flatMap(({ spans }) => spans);
        return run.answer(counted, () =>
          writeChunks(documents, call.unit, Array.isArray(text), limits.maxAnswerBytes),
        );
      },
    };
  }

  function readRefine(name: string, request: unknown): ReadTask {
    const { chunks, ...options } = calls.checkRefine(name, request) as ChunksRequest;
    const lists = isBatch(chunks) ? chunks : [chunks];
    checkChunks(lists, limits);
    checkOptions(options, limits);
    return {
      isLight: calls.isLight('refinery', name, options),
      async work(run) {
        const call = await run.borrow(calls.refinery(name, options, run));
        const refined: Chunk[][] = [];
        for (const list of lists) {
          run.facts.nextDocument();
          refined.push(await call.refine(list));
        }
        return run.answer(refined.flat(), () =>
          writeObjects(refined, isBatch(chunks), limits.maxAnswerBytes),
        );
      },
    };
  }

  function readExecute(steps: readonly PipelineStep[], body: Buffer, request: unknown): ReadTask {
    const { text } = checkExecution(request) as TextRequest;
    checkTexts(text, limits);
    checkOrder(steps);
    const checked = steps.map(checkedStep);
    return {
      isLight: checked.every(({ kind, name, options }) => calls.isLight(kind, name, options)),
      async work(run) {
        const stages: (ChunkCall | RefineCall)[] = [];
        for (const { kind, name, options } of checked) {
          const call =
            kind === 'chunker' ? calls.chunker(name, options, run) : calls.refinery(name, options, run);
          stages.push(await run.borrow<ChunkCall | RefineCall>(call));
        }
        const documents: OutputChunk[][] = [];
        for (const { content, json } of documentsOf(body, text)) {
          run.facts.nextDocument();
          const placed = await runStages(stages, content, json);
          const ids = nameChunks(seedOf(steps, canonicalJsonText(content, json)), placed.length);
          documents.push(
            placed.map(({ chunk, source }, index) => ({ id: ids[index] as string, chunk, source })),
          );
        }
        const counted = documents.flat().map(({ chunk }) => chunk);
        return run.answer(counted, () => writeOutputs(documents, Array.isArray(text), limits.maxAnswerBytes));
      },
    };
  }

  function checkedStep(step: PipelineStep, index: number) {
    const plugin = pluginOf(step);
    const place = `steps[${index}].config.`;
    const options = calls.checkStep(plugin.kind, plugin.name, step.config, place);
    checkOptions(options, limits, place);
    return { ...plugin, options };
  }

  function checkStep(step: PipelineStep, place: string): void {
    const { kind, name } = pluginOf(step);
    if (!calls.isInstalled(kind, name)) return;
    checkOptions(calls.checkStep(kind, name, step.config, `${place}.config.`), limits, `${place}.config.`);
  }
}

/** A task whose request is in order. */
interface ReadTask {
  readonly isLight: boolean;
  work(run: TaskRun): Promise<Answer>;
}

interface TextRequest extends Record<string, unknown> {
  readonly text: string | string[];
}

interface ChunksRequest extends Record<string, unknown> {
  readonly chunks: Chunk[] | Chunk[][];
}

/** One run of a task: what it says and measures, and what it has borrowed. */
class TaskRun implements CallContext {
  readonly signal: AbortSignal;
  readonly facts = new FactsOfDocuments();
  readonly report = this.facts.report;
  readonly watch: Stopwatch;
  readonly #borrowed: { end(): void }[] = [];

  constructor(signal: AbortSignal, parseSeconds: number) {
    this.signal = signal;
    this.watch = new Stopwatch(parseSeconds);
  }

  /** Keeps a call until the run ends. */
  async borrow<T extends { end(): void }>(opening: Promise<T>): Promise<T> {
    const call = await opening;
    this.#borrowed.push(call);
    return call;
  }

  /** @param counted the chunks of the answer */
  async answer(
    counted: readonly { readonly token_count: number }[],
    write: () => Uint8Array,
  ): Promise<Answer> {
    const bytes = await this.watch.time('serialise', 'json', write);
    const tokens = counted.reduce((sum, { token_count }) => sum + token_count, 0);
    return { bytes, facts: this.facts.summary(), measures: this.watch.summary(counted.length, tokens) };
  }

  end(): void {
    for (const call of this.#borrowed) call.end();
  }
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
function isBatch(chunks: Chunk[] | Chunk[][]): chunks is Chunk[][] {
  return Array.isArray(chunks[0]);
}

function pluginOf({ type, chunker, refinery }: PipelineStep): { kind: 'chunker' | 'refinery'; name: string } {
  return type === 'chunk'
    ? { kind: 'chunker', name: chunker ?? '' }
    : { kind: 'refinery', name: refinery ?? '' };
}
