import type { PipelineStep } from '../../core/contracts/pipeline.ts';
import type { PluginEntry } from '../../core/hosting/registry.ts';
import type { Limits } from './limits.ts';
import type { Rules } from './operation.ts';
import { optionsOfFirstLine } from './operations/lines.ts';
import type { SinkCollections } from './operations/store-chunks.ts';
import { operationOf } from './operations.ts';
import { divide } from './read/divide.ts';
import { jsonBytes } from './read/json.ts';
import { checkStep, type MissingPlugins } from './read/pipeline.ts';
import type { Division, StreamPlan } from './read/plan.ts';
import { createChecks } from './read/request-checks.ts';
import { defaultNameOf, type RequestSchemas } from './read/request-schemas.ts';
import type { StageTools } from './stages/stages.ts';
import type { Answer, AnyRequest, ChunksTask, OnPart, Task } from './tasks.ts';

/** What the service does, on bytes, without HTTP. Its errors are `ServiceError`s. */
export interface Service {
  /**
   * The plugins that a task names, with `undefined` for a missing one; no list if its work is never light enough for
   * the event loop.
   */
  plugins(task: Task): readonly (PluginEntry | undefined)[] | undefined;
  /** Whether all plugins that the task names are light, as far as is known before the body is read. */
  mayBeLight(task: Task): boolean;
  /**
   * Whether a request of such a task may run on the event loop: all plugins whose tokenizers and models it uses are
   * light.
   */
  isLight(request: AnyRequest): boolean;
  /** Reads the request of a task, see `Operation.read`. */
  read(task: Task, bytes: Uint8Array): AnyRequest;
  /**
   * Runs a request.
   *
   * @param signal stops plugins that obey it when it aborts
   * @param onPart requests an evaluation in parts
   * @throws ServiceError
   */
  run(request: AnyRequest, signal: AbortSignal, onPart?: OnPart): Promise<Answer>;
  /** Finds the inputs of a request, see `divide`. */
  divide(task: ChunksTask, bytes: Uint8Array): Division | undefined;
  /**
   * Reads the first line of a stream.
   *
   * @throws ServiceError `line_not_json`, `invalid_parameters`, `unknown_plugin`, `missing_capability`
   */
  readStreamPlan(task: ChunksTask, line: Uint8Array): StreamPlan;
  /** Checks a step of a pipeline that is to be stored, see `checkStep`. */
  checkStep(step: PipelineStep, place: string, missing: MissingPlugins): PipelineStep;
}

interface ServiceOptions extends Omit<StageTools, 'signal'> {
  readonly requestSchemas: RequestSchemas;
  readonly collections: SinkCollections;
  readonly config: Limits;
}

export function createService(options: ServiceOptions): Service {
  const { registry, requestSchemas: schemas, host, openers, collections, log, config: limits } = options;
  const checks = createChecks(registry, schemas, limits);
  // If no plugin has a default, a request that names no tokenizer gets `unknown_tokenizer` with the known names.
  const defaultTokenizer = defaultNameOf(registry, 'tokenizer') ?? '';
  const rules: Rules = { registry, schemas, checks, limits, defaultTokenizer };
  const tools = { registry, host, openers, collections, log, rules, limits };
  const plugins = (task: Task) => operationOf(task).plugins(task, registry);
  const ownersOf = (kind: 'tokenizer' | 'embedding', name: string | undefined) =>
    name === undefined ? [] : openers.owners(kind, name);
  return {
    plugins,
    mayBeLight(task) {
      const named = plugins(task);
      return named !== undefined && areLight(named);
    },
    isLight: ({ uses }) =>
      uses.every(
        ({ tokenizer, embedding }) =>
          areLight(ownersOf('tokenizer', tokenizer)) && areLight(ownersOf('embedding', embedding)),
      ),
    read(task, bytes) {
      const start = performance.now();
      const request = operationOf(task).read(task, bytes, rules);
      return { ...request, parseSeconds: (performance.now() - start) / 1000 };
    },
    run: (request, signal, onPart) => operationOf(request).run(request, { ...tools, signal, onPart }),
    divide: (task, bytes) => divide(operationOf(task), task, bytes, rules),
    readStreamPlan(task, line) {
      const operation = operationOf(task);
      return {
        ...operation.plan(task, optionsOfFirstLine(jsonBytes(line)), rules),
        takes: operation.takes,
      };
    },
    checkStep: (step, place, missing) => checkStep(step, { place, missing }, rules),
  };
}

/** A missing or unusable plugin fails the request when it is read or opened, which is quick. */
function areLight(plugins: readonly (PluginEntry | undefined)[]): boolean {
  return plugins.every(
    (entry) => entry === undefined || entry.missing.length > 0 || entry.manifest.light === true,
  );
}
