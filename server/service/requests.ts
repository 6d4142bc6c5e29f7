import type { Chunk } from '../../core/contracts/chunk.ts';
import type { Manifest, ObjectSchema } from '../../core/contracts/manifest.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Registry } from '../../core/hosting/registry.ts';
import type { PipelineStep } from '../store/contract.ts';
import { createValidator, type Validate } from '../validation/validator.ts';
import { jsonBytes, parseJson } from '../wire/json-body.ts';
import { findTextLiterals, toJsonText } from '../wire/json-text.ts';
import type { SourceDocument } from './document-chunks.ts';
import type { Input } from './execution.ts';
import { checkChunks, checkOption, checkTexts, type Limits } from './limits.ts';
import { checkOrder, missingPlugin, pluginOf, withOwnName } from './pipeline.ts';
import { executeRequest, type RequestSchemas } from './request-schemas.ts';
import type { StageRequest } from './stages.ts';
import { type TextsRequest, textsRequest } from './texts-request.ts';

/** A piece of work for the service, as plain data that can go to another thread. */
export type Task =
  | { readonly run: 'chunk'; readonly name: string }
  | { readonly run: 'refine'; readonly name: string }
  | { readonly run: 'execute'; readonly steps: readonly PipelineStep[] }
  | { readonly run: 'embed' }
  | { readonly run: 'tokenize' };

/** A request that was read and checked. Plain data that can go to another thread. */
export type Execution = StagesRequest | TextsRequest;

/** A request for chunks: inputs, stages, output. */
export interface StagesRequest {
  readonly inputs: readonly Input[];
  /** Whether the answer is a list of lists. */
  readonly isBatch: boolean;
  readonly stages: readonly StageRequest[];
  /** The steps, if a stored pipeline is executed: its chunks have ids, `context` and `embedding`. */
  readonly pipeline?: readonly PipelineStep[];
  /** Seconds that it took to read the request. */
  readonly parseSeconds: number;
}

/** Reads and checks requests. */
export interface Requests {
  /**
   * Reads the request of a task.
   *
   * @param bytes JSON; the execution refers to them, so they must not change
   * @throws ServiceError `body_empty`, `body_not_utf8`, `body_not_json`, `invalid_parameters`, `unknown_plugin`,
   *   `missing_capability`
   */
  read(task: Task, bytes: Uint8Array): Execution;
  /**
   * Checks a step of a pipeline that is to be stored: its plugin is there, and takes its configuration.
   *
   * @param place where the step is, for the message: `steps[1]`
   * @param allowMissing whether the plugin may be missing; its configuration is not checked then
   * @returns the step with its plugin's own name, however that was spelt
   * @throws ServiceError `invalid_parameters`
   */
  checkStep(step: PipelineStep, place: string, allowMissing: boolean): PipelineStep;
}

type Asked = Omit<StagesRequest, 'parseSeconds'> | Omit<TextsRequest, 'parseSeconds'>;

export function createRequests(registry: Registry, schemas: RequestSchemas, limits: Limits): Requests {
  const checks = createChecks(registry, schemas, limits);
  return {
    read(task, bytes) {
      const start = performance.now();
      const body = jsonBytes(bytes);
      const asked = readTask(task, body, parseJson(body), { checks, limits });
      return { ...asked, parseSeconds: (performance.now() - start) / 1000 } as Execution;
    },

    checkStep(step, place, allowMissing) {
      const plugin = pluginOf(registry, step);
      if (plugin.entry !== undefined) checks.step(step, place);
      else if (plugin.name !== '' && !allowMissing) {
        const problem = `${missingPlugin(registry, plugin, place)}; "allow_missing": true stores the step for a server that has it`;
        throw new ServiceError('invalid_parameters', { problems: [problem] });
      }
      return withOwnName(registry, step);
    },
  };
}

/** What requests are held against. */
interface Rules {
  readonly checks: Checks;
  readonly limits: Limits;
}

function readTask(task: Task, body: Buffer, request: unknown, rules: Rules): Asked {
  const { checks, limits } = rules;
  if (task.run === 'chunk') return readChunk(task.name, body, checks.chunk(task.name, request), limits);
  if (task.run === 'refine') return readRefine(task.name, checks.refine(task.name, request), limits);
  if (task.run !== 'execute') return textsRequest(task.run, checks[task.run](request), limits);
  return readExecute(task.steps, body, checkExecution(request), rules);
}

const checkExecution = createValidator(executeRequest);

type Members = Readonly<Record<string, unknown>>;

function readChunk(name: string, body: Buffer, { text, ...options }: Members, limits: Limits): Asked {
  return { ...readTexts(text as Texts, body, limits), stages: [{ kind: 'chunker', name, options }] };
}

function readRefine(name: string, { chunks, ...options }: Members, limits: Limits): Asked {
  const isBatch = isListOfLists(chunks);
  const lists = (isBatch ? chunks : [chunks]) as readonly (readonly Chunk[])[];
  checkChunks(lists, limits);
  const inputs = lists.map((list) => ({ chunks: list }));
  return { inputs, isBatch, stages: [{ kind: 'refinery', name, options }] };
}

function readExecute(
  pipeline: readonly PipelineStep[],
  body: Buffer,
  { text }: Members,
  { checks, limits }: Rules,
): Asked {
  const texts = readTexts(text as Texts, body, limits);
  checkOrder(pipeline);
  return { ...texts, stages: pipeline.map((step, index) => checks.step(step, `steps[${index}]`)), pipeline };
}

type Texts = string | readonly string[];

function readTexts(text: Texts, body: Buffer, limits: Limits): Pick<StagesRequest, 'inputs' | 'isBatch'> {
  checkTexts(text, limits);
  const texts = typeof text === 'string' ? [text] : text;
  const literals = findTextLiterals(body, 'text') ?? texts.map(toJsonText);
  const inputs = texts.map((text, index): SourceDocument => ({ text, json: literals[index] as Uint8Array }));
  return { inputs, isBatch: typeof text !== 'string' };
}

/** Checks requests against the schemas of the plugins that they name, and fills in defaults. */
interface Checks {
  chunk(name: string, request: unknown): Members;
  refine(name: string, request: unknown): Members;
  embed: Validate;
  tokenize: Validate;
  /** @param place where the step is, for the message: `steps[1]` */
  step(step: PipelineStep, place: string): StageRequest;
}

function createChecks(registry: Registry, schemas: RequestSchemas, limits: Limits): Checks {
  const validators = new Map<string, Validate>();

  function check(key: string, create: () => Validate, value: unknown, place = ''): Members {
    const validate = validators.get(key) ?? create();
    validators.set(key, validate);
    return validate(value, place);
  }

  /** A validator that says first which limit of the server an option exceeds, because that can be raised. */
  function limited(schema: ObjectSchema, manifest: Manifest): Validate {
    const options = Object.keys(schemas.step(manifest).properties);
    const validate = createValidator(schema);
    return (value, place = '') => {
      const given = (value ?? {}) as Members;
      for (const name of options) checkOption(given[name], `${place}${name}`, limits);
      return validate(value, place);
    };
  }

  return {
    chunk(name, request) {
      const { manifest } = registry.require('chunker', name);
      return check(`chunk ${name}`, () => limited(schemas.chunk(manifest), manifest), request);
    },

    refine(name, request) {
      const { manifest } = registry.require('refinery', name);
      const documents = isListOfLists((request as Members | null)?.chunks) ? 'many' : 'one';
      const create = () => limited(schemas.refine(manifest, documents), manifest);
      return check(`refine ${documents} ${name}`, create, request);
    },

    embed: createValidator(schemas.embed),
    tokenize: createValidator(schemas.tokenize),

    step(step, place) {
      const plugin = pluginOf(registry, step);
      const { kind, name, entry } = plugin;
      if (entry === undefined) {
        throw new ServiceError('invalid_parameters', { problems: [missingPlugin(registry, plugin, place)] });
      }
      const { manifest } = entry;
      const config = structuredClone(step.config);
      const create = () => limited(schemas.step(manifest), manifest);
      const options = check(`${kind} ${name}`, create, config, `${place}.config.`);
      return { kind, name, options };
    },
  };
}

/** Whether chunks are given for many documents, as a list of lists. */
function isListOfLists(chunks: unknown): boolean {
  return Array.isArray(chunks) && Array.isArray(chunks[0]);
}
