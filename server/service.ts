import type { Chunk } from '../core/contracts.ts';
import { type Facts, FactsOfDocuments } from '../core/facts.ts';
import { type ChunkedText, writeChunks } from '../core/json-chunks.ts';
import { type OutputChunk, writeObjects, writeOutputs } from '../core/json-objects.ts';
import { canonicalJsonText, findTextLiterals, type JsonText, toJsonText } from '../core/json-text.ts';
import { checkOrder, type PipelineStep, runStages } from '../core/pipeline.ts';
import { executeRequest } from '../core/requests.ts';
import { nameChunks, seedOf } from './chunk-ids.ts';
import { jsonBytes, parseJson } from './json-body.ts';
import type { ChunkCall, PluginCalls, RefineCall } from './plugin-calls.ts';
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
}

/** A piece of work for the service, as plain data that can go to another thread. */
export type Task =
  | { readonly run: 'chunk'; readonly name: string }
  | { readonly run: 'refine'; readonly name: string }
  | { readonly run: 'execute'; readonly steps: readonly PipelineStep[] };

const checkExecution = createValidator(executeRequest);

export function createService(calls: PluginCalls, maxAnswerBytes: number): Service {
  return { prepare, checkStep };

  function prepare(task: Task, bytes: Uint8Array): PreparedTask {
    const body = jsonBytes(bytes);
    const request = parseJson(body);
    if (task.run === 'chunk') return prepareChunk(task.name, body, request);
    if (task.run === 'refine') return prepareRefine(task.name, request);
    return prepareExecute(task.steps, body, request);
  }

  function prepareChunk(name: string, body: Buffer, request: unknown): PreparedTask {
    const { text, ...options } = calls.checkChunk(name, request);
    return {
      isLight: calls.isLight('chunker', name, options),
      async run(signal) {
        const facts = new FactsOfDocuments();
        const call = await calls.chunker(name, options, { report: facts.report, signal });
        try {
          const documents: ChunkedText[] = [];
          for (const { content, json } of documentsOf(body, text as string | string[])) {
            facts.nextDocument();
            documents.push({ json, spans: await call.chunk(content) });
          }
          const bytes = writeChunks(documents, call.unit, Array.isArray(text), maxAnswerBytes);
          return { bytes, facts: facts.summary() };
        } finally {
          call.end();
        }
      },
    };
  }

  function prepareRefine(name: string, request: unknown): PreparedTask {
    const { chunks, ...options } = calls.checkRefine(name, request);
    return {
      isLight: calls.isLight('refinery', name, options),
      async run(signal) {
        const facts = new FactsOfDocuments();
        const call = await calls.refinery(name, options, { report: facts.report, signal });
        try {
          const refined: Chunk[][] = [];
          for (const list of (isBatch(chunks) ? chunks : [chunks]) as Chunk[][]) {
            facts.nextDocument();
            refined.push(await call.refine(list));
          }
          const bytes = writeObjects(refined, isBatch(chunks), maxAnswerBytes);
          return { bytes, facts: facts.summary() };
        } finally {
          call.end();
        }
      },
    };
  }

  function prepareExecute(steps: readonly PipelineStep[], body: Buffer, request: unknown): PreparedTask {
    const { text } = checkExecution(request) as { text: string | string[] };
    checkOrder(steps);
    const checked = steps.map(checkedStep);
    return {
      isLight: checked.every(({ kind, name, options }) => calls.isLight(kind, name, options)),
      async run(signal) {
        const facts = new FactsOfDocuments();
        const stages: (ChunkCall | RefineCall)[] = [];
        try {
          for (const { kind, name, options } of checked) {
            const context = { report: facts.report, signal };
            stages.push(
              await (kind === 'chunker'
                ? calls.chunker(name, options, context)
                : calls.refinery(name, options, context)),
            );
          }
          const documents: OutputChunk[][] = [];
          for (const { content, json } of documentsOf(body, text)) {
            facts.nextDocument();
            const seed = seedOf(steps, canonicalJsonText(content, json));
            const placed = await runStages(stages, content, json);
            const ids = nameChunks(await seed, placed.length);
            documents.push(placed.map((chunk, index) => ({ id: ids[index] as string, ...chunk })));
          }
          const bytes = writeOutputs(documents, Array.isArray(text), maxAnswerBytes);
          return { bytes, facts: facts.summary() };
        } finally {
          for (const stage of stages) stage.end();
        }
      },
    };
  }

  function checkedStep(step: PipelineStep, index: number) {
    const plugin = pluginOf(step);
    const options = calls.checkStep(plugin.kind, plugin.name, step.config, `steps[${index}].config.`);
    return { ...plugin, options };
  }

  function checkStep(step: PipelineStep, place: string): void {
    const { kind, name } = pluginOf(step);
    if (calls.isInstalled(kind, name)) calls.checkStep(kind, name, step.config, `${place}.config.`);
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
function isBatch(chunks: unknown): boolean {
  return Array.isArray((chunks as unknown[])[0]);
}

function pluginOf({ type, chunker, refinery }: PipelineStep): { kind: 'chunker' | 'refinery'; name: string } {
  return type === 'chunk'
    ? { kind: 'chunker', name: chunker ?? '' }
    : { kind: 'refinery', name: refinery ?? '' };
}
