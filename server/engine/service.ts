import type { PipelineStep } from '../../core/contracts/pipeline.ts';
import type { PluginEntry } from '../../core/hosting/registry.ts';
import type { Limits } from './limits.ts';
import type { Operation, Rules, Run } from './operation.ts';
import {
  type ChunksOperation,
  chunkOperation,
  executeOperation,
  refineOperation,
} from './operations/chunks.ts';
import { evaluateOperation } from './operations/evaluation/run-evaluation.ts';
import { fileOperation } from './operations/file.ts';
import { linesOperation, optionsOfFirstLine } from './operations/lines.ts';
import { type SinkCollections, storeOperation } from './operations/store-chunks.ts';
import { embedOperation, tokenizeOperation } from './operations/texts.ts';
import { Presets } from './presets/presets.ts';
import { divide } from './read/divide.ts';
import { jsonBytes } from './read/json.ts';
import { checkStep, type StepRule } from './read/pipeline.ts';
import type { Division, StreamPlan } from './read/plan.ts';
import { createChecks } from './read/request-checks.ts';
import { defaultNameOf, type RequestSchemas } from './read/request-schemas.ts';
import type { StageTools } from './stages/stages.ts';
import { refuseUnknownNames, withUnknownNames } from './stages/unknown-names.ts';
import type { Answer, AnyRequest, ChunksTask, OnPart, Task } from './tasks.ts';
import { type Refusals, withAllProblems } from './validation/refusals.ts';

type TaskOf<K extends Task['run']> = Extract<Task, { readonly run: K }>;

const OPERATIONS = {
  chunk: chunkOperation,
  execute: executeOperation,
  refine: refineOperation,
  embed: embedOperation,
  tokenize: tokenizeOperation,
  evaluate: evaluateOperation,
  file: fileOperation,
  lines: linesOperation,
  store: storeOperation,
} as const satisfies { readonly [K in Task['run']]: Operation<TaskOf<K>> };

function operationOf(one: ChunksTask): ChunksOperation;
function operationOf(one: Task | AnyRequest): Operation;
function operationOf({ run }: Task | AnyRequest): Operation {
  return OPERATIONS[run] as Operation;
}

interface ServiceOptions extends Omit<StageTools, 'signal'> {
  readonly requestSchemas: RequestSchemas;
  readonly collections: SinkCollections;
  readonly config: Limits;
}

/** The API of the service on bytes, without HTTP. Its errors are `ServiceError`s. */
export class Service {
  readonly presets: Presets;
  readonly #rules: Rules;
  readonly #tools: Omit<Run, 'signal' | 'onPart'>;

  constructor({
    registry,
    requestSchemas: schemas,
    host,
    openers,
    collections,
    log,
    config: limits,
  }: ServiceOptions) {
    const checks = createChecks(registry, schemas);
    this.presets = new Presets({ registry, checks, openers });
    // Without a default tokenizer, a request that names none gets `unknown_tokenizer` with the known names.
    const defaultTokenizer = defaultNameOf(registry, 'tokenizer') ?? '';
    this.#rules = { registry, schemas, checks, presets: this.presets, limits, defaultTokenizer };
    this.#tools = { registry, host, openers, collections, log, rules: this.#rules, limits };
  }

  /** The plugins that a task names; see `Operation.plugins`. */
  plugins(task: Task): readonly (PluginEntry | undefined)[] | undefined {
    return operationOf(task).plugins(task, this.#rules.registry);
  }

  mayBeLight(task: Task): boolean {
    const named = this.plugins(task);
    return named !== undefined && areLight(named);
  }

  /** Whether a request may run on the event loop: all plugins of its tokenizers and models are light. */
  isLight({ uses }: AnyRequest): boolean {
    const { openers } = this.#tools;
    return uses.every(
      ({ tokenizer, embedding }) =>
        (tokenizer === undefined || areLight(openers.owners('tokenizer', tokenizer))) &&
        (embedding === undefined || areLight(openers.owners('embedding', embedding))),
    );
  }

  label(task: Task): string {
    return operationOf(task).label(task);
  }

  /** Reads the request of a task; see `Operation.read`. A refusal lists all problems except unknown names. */
  read(task: Task, bytes: Uint8Array): AnyRequest {
    const operation = operationOf(task);
    const rules = this.#rules;
    const start = performance.now();
    try {
      const request = operation.read(task, bytes, rules);
      return { ...request, parseSeconds: (performance.now() - start) / 1000 };
    } catch (error) {
      throw withAllProblems(error, (refusals) => operation.collect?.(task, bytes, rules, refusals));
    }
  }

  /** Adds the unknown names in a request to a refusal by `read` or `readStreamPlan`. */
  withUnknownNames(error: unknown): Promise<unknown> {
    return withUnknownNames(error, this.#tools);
  }

  /**
   * Runs a request.
   *
   * @param signal its abort stops plugins that obey signals
   * @param onPart receives the parts of an evaluation; by default, the answer comes as a whole
   * @throws ServiceError
   */
  run(request: AnyRequest, signal: AbortSignal, onPart?: OnPart): Promise<Answer> {
    return operationOf(request)
      .run(request, { ...this.#tools, signal, onPart })
      .catch(async (error: unknown) => {
        throw await this.withUnknownNames(error);
      });
  }

  divide(task: ChunksTask, bytes: Uint8Array): Division | undefined {
    return divide(operationOf(task), task, bytes, this.#rules);
  }

  /**
   * Reads the first line of a stream.
   *
   * @throws ServiceError `line_not_json`, `invalid_parameters`, `unknown_plugin`, `missing_capability`
   */
  readStreamPlan(task: ChunksTask, line: Uint8Array): StreamPlan {
    const { plan, takes } = operationOf(task);
    return { ...plan(task, optionsOfFirstLine(jsonBytes(line)), this.#rules), takes };
  }

  refuse(refusals: Refusals): Promise<void> {
    return refuseUnknownNames(refusals, this.#tools);
  }

  checkStep(step: PipelineStep, rule: StepRule, refusals: Refusals): PipelineStep {
    return checkStep(step, rule, this.#rules, refusals);
  }
}

/** A missing or unusable plugin counts as light: its request fails quickly. */
function areLight(plugins: readonly (PluginEntry | undefined)[]): boolean {
  return plugins.every(
    (entry) => entry === undefined || entry.missing.length > 0 || entry.manifest.light === true,
  );
}
