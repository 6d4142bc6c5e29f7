import type { Log } from '../../core/contracts/collaborators.ts';
import type { Kind } from '../../core/contracts/manifest.ts';
import type { PluginHost } from '../../core/hosting/container.ts';
import type { PluginEntry, Registry } from '../../core/hosting/registry.ts';
import { type WrittenDocument, writeChunks } from '../wire/chunk-writer.ts';
import type { Answer } from './answer.ts';
import type { DocumentChunks } from './document-chunks.ts';
import { type Input, runStages } from './execution.ts';
import type { Limits } from './limits.ts';
import type { Openers } from './openers.ts';
import { pluginOf } from './pipeline.ts';
import { defaultNameOf, type RequestSchemas } from './request-schemas.ts';
import { createRequests, type Execution, type Requests, type StagesRequest, type Task } from './requests.ts';
import { ResponseMetadata } from './response-metadata.ts';
import {
  namesUsed,
  openStage,
  type RunContext,
  type Stage,
  type StageRequest,
  type StageTools,
} from './stages.ts';
import { runTexts } from './texts.ts';
import type { TextsRequest } from './texts-request.ts';
import { Timer, type Timings } from './timings.ts';
import { writtenDocument } from './written-document.ts';

export type { Answer } from './answer.ts';

/** What the service does, on bytes; it knows nothing of HTTP. Its errors are `ServiceError`s. */
export interface Service extends Requests {
  /** Whether all plugins that the task names are light, as far as can be known before the body is read. */
  mayBeLight(task: Task): boolean;
  /** Whether an execution may run on the event loop: all plugins that it uses are light. */
  isLight(execution: Execution): boolean;
  /**
   * Runs an execution.
   *
   * @param signal stops plugins that heed it when it aborts
   * @throws ServiceError
   */
  run(execution: Execution, signal: AbortSignal): Promise<Answer>;
}

export interface ServiceOptions {
  readonly registry: Registry;
  readonly requestSchemas: RequestSchemas;
  readonly host: PluginHost;
  readonly openers: Openers;
  readonly log: Log;
  readonly config: Limits;
}

export function createService(options: ServiceOptions): Service {
  const { registry, requestSchemas, host, openers, log, config } = options;
  // If no plugin has a default, a request that names no tokenizer gets `unknown_tokenizer` with the known names.
  const defaultTokenizer = defaultNameOf(registry, 'tokenizer') ?? '';
  const tools = { registry, host, openers, log, defaultTokenizer };
  return {
    ...createRequests(registry, requestSchemas, config),
    mayBeLight: (task) =>
      pluginsOf(task, registry).every(({ kind, name }) => mayBeLight(registry.find(kind, name))),
    isLight: (execution) =>
      'run' in execution
        ? isLightModel(execution, tools)
        : execution.stages.every((stage) => isLightStage(stage, tools)),
    run: (execution, signal) =>
      'run' in execution
        ? runTexts(execution, signal, tools, config.maxAnswerBytes)
        : runStagesOf(execution, signal, tools, config.maxAnswerBytes),
  };
}

function pluginsOf(task: Task, registry: Registry): { readonly kind: Kind; readonly name: string }[] {
  if (task.run === 'execute') return task.steps.map((step) => pluginOf(registry, step));
  // Of texts, which plugin is asked is only known once the body is read.
  if (task.run === 'embed' || task.run === 'tokenize') return [];
  return [{ kind: task.run === 'chunk' ? 'chunker' : 'refinery', name: task.name }];
}

/** A plugin that is not there, or cannot run, fails the request when it is read, which is quick. */
function mayBeLight(entry: PluginEntry | undefined): boolean {
  return entry === undefined || entry.missing.length > 0 || entry.manifest.light === true;
}

/** Whether all plugins that may open the model or tokenizer are light. */
function isLightModel({ run, options }: TextsRequest, { openers, defaultTokenizer }: StageTools): boolean {
  const owners =
    run === 'embed'
      ? openers.owners('embedding', options.embedding_model)
      : openers.owners('tokenizer', options.tokenizer ?? defaultTokenizer);
  return owners.every(({ manifest }) => manifest.light === true);
}

function isLightStage({ kind, name, options }: StageRequest, tools: StageTools): boolean {
  const { registry, openers, defaultTokenizer } = tools;
  const entry = registry.require(kind, name);
  const used = namesUsed(entry, options, defaultTokenizer);
  const ownersOfUsed = (kind: 'tokenizer' | 'embedding') => {
    const model = used[kind];
    return model === undefined ? [] : openers.owners(kind, model);
  };
  const plugins = [entry, ...ownersOfUsed('tokenizer'), ...ownersOfUsed('embedding')];
  return plugins.every(({ manifest }) => manifest.light === true);
}

async function runStagesOf(
  request: StagesRequest,
  signal: AbortSignal,
  tools: StageTools,
  maxAnswerBytes: number,
): Promise<Answer> {
  const { inputs, isBatch, stages: requests, parseSeconds } = request;
  const metadata = new ResponseMetadata();
  const timer = new Timer(parseSeconds);
  const leases: { release(): void }[] = [];
  const context: RunContext = { signal, timer, report: metadata.report, keep: (lease) => leases.push(lease) };
  try {
    const stages: Stage[] = [];
    for (const request of requests) stages.push(await openStage(request, tools, context));
    const documents: DocumentChunks[] = [];
    for (const input of inputs) {
      metadata.nextDocument();
      documents.push(await runStages(stages, input));
    }
    const write = () => {
      const written = documents.map((chunks, index) =>
        writtenDocument(inputs[index] as Input, chunks, request),
      );
      return { written, bytes: writeChunks(written, isBatch, maxAnswerBytes) };
    };
    const { written, bytes } = await timer.time('serialise', 'json', write);
    return { bytes, metadata: metadata.summary(), timings: timingsOf(timer, written) };
  } finally {
    for (const lease of leases) lease.release();
  }
}

function timingsOf(timer: Timer, documents: readonly WrittenDocument[]): Timings {
  let [count, tokens] = [0, 0];
  for (const { chunks } of documents) {
    count += chunks.length;
    for (const { token_count } of chunks) tokens += token_count;
  }
  return timer.summary(documents.length, count, tokens);
}
