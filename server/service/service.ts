import type { Log } from '../../core/contracts/collaborators.ts';
import type { Kind } from '../../core/contracts/manifest.ts';
import type { PluginHost } from '../../core/hosting/container.ts';
import type { PluginEntry, Registry } from '../../core/hosting/registry.ts';
import type { Answer, OnPart } from './answer.ts';
import { type DividedRequest, runDivided } from './divide-batch.ts';
import { runEvaluation } from './evaluation/run-evaluation.ts';
import type { Limits } from './limits.ts';
import type { Openers } from './openers.ts';
import { pluginOf } from './pipeline.ts';
import { defaultNameOf, type RequestSchemas } from './request-schemas.ts';
import { createRequests, type Execution, type NamesRequest, type Requests } from './requests.ts';
import { runFile } from './run-file.ts';
import { runLines } from './run-lines.ts';
import { runRequest } from './run-request.ts';
import { runStore, type SinkCollections } from './run-store.ts';
import { runSplit, type SplitRequest } from './split-batch.ts';
import { namesUsed, type StageRequest, type StageTools } from './stages.ts';
import type { LinesRequest } from './stream-plan.ts';
import type { EvaluateTask, FileTask, StoreTask, Task } from './tasks.ts';
import { runTexts } from './texts.ts';
import type { TextsRequest } from './texts-request.ts';
import { Timer } from './timings.ts';

export type { Answer, OnPart } from './answer.ts';

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
   * @param onPart has an evaluation answered in parts
   * @throws ServiceError
   */
  run(execution: Execution, signal: AbortSignal, onPart?: OnPart): Promise<Answer>;
}

export interface ServiceOptions {
  readonly registry: Registry;
  readonly requestSchemas: RequestSchemas;
  readonly host: PluginHost;
  readonly openers: Openers;
  readonly collections: SinkCollections;
  readonly log: Log;
  readonly config: Limits;
}

export function createService(options: ServiceOptions): Service {
  const { registry, requestSchemas, host, openers, collections, log, config } = options;
  // If no plugin has a default, a request that names no tokenizer gets `unknown_tokenizer` with the known names.
  const defaultTokenizer = defaultNameOf(registry, 'tokenizer') ?? '';
  const tools = { registry, host, openers, log, defaultTokenizer };
  const requests = createRequests(registry, requestSchemas, config);
  const fileTools = { tools, limits: config, readFilePlan: requests.readFilePlan };
  return {
    ...requests,
    mayBeLight: (task) =>
      task.run !== 'file' &&
      task.run !== 'evaluate' &&
      task.run !== 'store' &&
      pluginsOf(task, registry).every(({ kind, name }) => mayBeLight(registry.find(kind, name))),
    isLight: (execution) => isLight(execution, tools),
    run(execution, signal, onPart) {
      if (!('run' in execution)) return runRequest(execution, signal, tools, config.maxAnswerBytes);
      if (execution.run === 'file') return runFile(execution, signal, fileTools);
      if (execution.run === 'store') return runStore(execution, signal, { registry, host, collections });
      if (execution.run === 'evaluate')
        return runEvaluation(execution, signal, { tools, limits: config }, onPart);
      return run(execution, signal, tools, config.maxAnswerBytes);
    },
  };
}

async function run(
  execution: TextsRequest | NamesRequest | LinesRequest | SplitRequest | DividedRequest,
  signal: AbortSignal,
  tools: StageTools,
  maxAnswerBytes: number,
): Promise<Answer> {
  if (execution.run === 'names') return answerNames(execution);
  if (execution.run === 'lines') return runLines(execution, signal, tools, maxAnswerBytes);
  if (execution.run === 'split') return runSplit(execution);
  if (execution.run === 'divide') return runDivided(execution);
  return runTexts(execution, signal, tools, maxAnswerBytes);
}

function answerNames({ names, parseSeconds }: NamesRequest): Answer {
  const bytes = new Uint8Array(Buffer.from(JSON.stringify(names)));
  return { bytes, reported: [], timings: new Timer(parseSeconds).summary(0, 0, 0) };
}

function pluginsOf(
  task: Exclude<Task, FileTask | EvaluateTask | StoreTask>,
  registry: Registry,
): readonly { readonly kind: Kind; readonly name: string }[] {
  if (task.run === 'execute') return task.steps.map((step) => pluginOf(registry, step));
  if (task.run === 'lines') return task.plan.stages;
  if (task.run === 'split' || task.run === 'divide') return pluginsOf(task.of, registry);
  // Of texts, which plugin is asked is only known once the body is read.
  if (task.run === 'embed' || task.run === 'tokenize' || task.run === 'names') return [];
  return [{ kind: task.run === 'chunk' ? 'chunker' : 'refinery', name: task.name }];
}

/** A plugin that is not there, or cannot run, fails the request when it is read, which is quick. */
function mayBeLight(entry: PluginEntry | undefined): boolean {
  return entry === undefined || entry.missing.length > 0 || entry.manifest.light === true;
}

function isLight(execution: Execution, tools: StageTools): boolean {
  if (!('run' in execution)) return execution.stages.every((stage) => isLightStage(stage, tools));
  if (execution.run === 'lines') return execution.plan.stages.every((stage) => isLightStage(stage, tools));
  // Which reader has it, and whether the file is a form, is only known once it is read.
  if (execution.run === 'file' || execution.run === 'evaluate' || execution.run === 'store') return false;
  const isCheap = execution.run === 'split' || execution.run === 'divide' || execution.run === 'names';
  return isCheap || isLightModel(execution, tools);
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
