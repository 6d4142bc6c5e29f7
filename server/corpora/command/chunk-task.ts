import { existsSync } from 'node:fs';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { Registry } from '../../../core/hosting/registry.ts';
import type { Api } from '../../cli/api.ts';
import { commandName } from '../../cli/command-name.ts';
import { readJson } from '../../cli/commands/remote.ts';
import { UsageError } from '../../cli/errors.ts';
import { type PresetFlags, presetOf, problemOfPreset } from '../../cli/preset-flags.ts';
import { Pipelines } from '../../clients/javascript/pipelines.ts';
import type { ServerCradle } from '../../container.ts';
import { orUnknownNames } from '../../engine/run/executor.ts';
import type { DocumentsTask } from '../../engine/tasks.ts';
import { Refusals } from '../../engine/validation/refusals.ts';
import { databaseOf } from '../../store/database.ts';
import type { ChunkFlags } from './flags.ts';

export interface ChunkTask {
  readonly task: DocumentsTask;
  /** Schema of the request members except the documents: chunker options and chunk fields. */
  readonly schema: ObjectSchema;
  readonly path: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

type Named = Pick<ChunkFlags, 'chunker' | 'pipeline' | keyof PresetFlags>;

/** @throws ServiceError `unknown_plugin`, `missing_capability`; UsageError */
export async function localTask(
  { chunker, pipeline, ...given }: Named,
  cradle: ServerCradle,
): Promise<ChunkTask> {
  const { registry, requestSchemas } = cradle;
  const steps = presetSteps(given, cradle) ?? (await pipelineSteps(pipeline, cradle));
  if (steps !== undefined)
    return { task: { run: 'execute', steps }, schema: requestSchemas.execute('apart'), path: '' };
  const name = chunker ?? defaultChunker(registry);
  const { manifest } = registry.require('chunker', name);
  return { task: { run: 'chunk', name }, schema: requestSchemas.chunk(manifest, 'apart'), path: '' };
}

function presetSteps(given: PresetFlags, { service }: ServerCradle): readonly PipelineStep[] | undefined {
  try {
    return service.presets.stepsOf(presetOf(given));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.problems.length === 0) throw error;
    throw new UsageError(error.problems.map((problem) => problemOfPreset(problem, given)).join('\n'));
  }
}

async function pipelineSteps(given: string | undefined, cradle: ServerCradle) {
  if (given === undefined) return undefined;
  return existsSync(given)
    ? orUnknownNames(cradle.service, () => stepsFrom(readJson(given), `--pipeline ${given}`, cradle))
    : storedSteps(given, cradle);
}

/** The chunker that selects one of the other chunkers for each document. @throws UsageError */
function defaultChunker(registry: Registry): string {
  const chunkers = registry.ofKind('chunker');
  const choosing = chunkers.find(
    ({ manifest, missing }) => manifest.chooses !== undefined && missing.length === 0,
  );
  if (choosing !== undefined) return choosing.manifest.name;
  const names = chunkers.map(({ manifest }) => manifest.name).join(', ');
  throw new UsageError(`--chunker: name one of ${names}; no chunker here chooses by itself`);
}

/** Reads the steps from the request or the stored record of a pipeline. @throws UsageError, ServiceError */
export function stepsFrom(given: unknown, place: string, { service }: ServerCradle): PipelineStep[] {
  const body = Object(given) as { steps?: unknown; config?: { steps?: unknown } } | readonly unknown[];
  const steps = 'steps' in body ? body.steps : 'config' in body ? body.config?.steps : body;
  if (!Array.isArray(steps))
    throw new UsageError(`${place}: expected {"steps": [...]}, as in the body that creates a pipeline`);
  const refusals = new Refusals();
  const checked = steps.map((step: Partial<PipelineStep> | null, index) => {
    const { type = 'chunk', chunker = null, refinery = null, config = {} } = step ?? {};
    const rule = { place: `steps[${index}]`, missing: 'refused' } as const;
    return service.checkStep({ type, chunker, refinery, config }, rule, refusals);
  });
  if (refusals.problems.length > 0) throw refusals.error();
  return checked;
}

async function storedSteps(name: string, { config, store }: ServerCradle): Promise<readonly PipelineStep[]> {
  const database = databaseOf(config);
  const isThere = database.kind !== 'file' || existsSync(database.path);
  const [found] = isThere ? (await store.list({ limit: 1, name })).pipelines : [];
  if (found !== undefined) return found.steps;
  throw new UsageError(`--pipeline ${name}: there is neither a file nor a stored pipeline of this name`);
}

const EXECUTE = '/v1/pipelines/{pipeline_id}/execute';

/** @throws ChunksmithError if the service is unreachable; UsageError if the chunker or pipeline is unknown */
export async function remoteTask(
  { chunker, pipeline, ...given }: Named,
  api: Api,
  registry: Registry,
): Promise<ChunkTask> {
  const document = await api.json<OpenApi>({ method: 'GET', path: '/openapi.json' });
  const schemaOf = (path: string) => serviceOptions(document, path);
  const { preset, ...options } = presetOf(given);
  if (preset !== undefined) {
    if (schemaOf('/v1/presets/{preset}/execute') === undefined)
      throw new UsageError(`--preset ${preset}: ${api.url} has no presets`);
    const schema = schemaOf(EXECUTE) as ObjectSchema;
    return {
      task: { run: 'execute', steps: [] },
      schema,
      path: `/v1/presets/${encodeURIComponent(preset)}/execute`,
      options,
    };
  }
  if (pipeline !== undefined) {
    const schema = schemaOf(EXECUTE) as ObjectSchema;
    const path = `/v1/pipelines/${await storedId(pipeline, api)}/execute`;
    return { task: { run: 'execute', steps: [] }, schema, path };
  }
  const name = chunker ?? defaultChunker(registry);
  const path = `/v1/chunk/${name}`;
  const schema = schemaOf(path);
  if (schema === undefined) throw new UsageError(`--chunker ${name}: ${api.url} has no such chunker`);
  return { task: { run: 'chunk', name }, schema, path };
}

async function storedId(pipeline: string, api: Api): Promise<string> {
  const [found] = await new Pipelines(api).list({ name: pipeline });
  if (found !== undefined) return found.id;
  const hint = existsSync(pipeline) ? `; store it there first: ${commandName()} pipelines put` : '';
  throw new UsageError(`--pipeline ${pipeline}: ${api.url} has no pipeline of this name${hint}`);
}

interface OpenApi {
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

type Components = OpenApi['components']['schemas'];

function serviceOptions({ paths, components }: OpenApi, path: string): ObjectSchema | undefined {
  const schema = paths[path]?.post?.requestBody?.content['application/json']?.schema;
  if (schema === undefined) return undefined;
  const { text, documents, ...properties } = propertiesOf(schema, components.schemas);
  return { type: 'object', properties };
}

function propertiesOf(schema: Schema, components: Components): Record<string, Schema> {
  const { anyOf = [], properties = {} } = whole(schema, components);
  const members = Object.entries(properties).map(([name, one]) => [name, whole(one, components)]);
  return Object.assign({}, ...anyOf.map((one) => propertiesOf(one, components)), Object.fromEntries(members));
}

function whole({ $ref, allOf = [], ...own }: Schema, components: Components): Schema {
  const name = $ref?.split('/').at(-1);
  const parts = allOf.map((part) => whole(part, components));
  const target = components[name ?? ''];
  if (target !== undefined) parts.push(whole(target, components));
  const properties = Object.assign({}, ...parts.map((part) => part.properties), own.properties);
  const hasMembers = Object.keys(properties).length > 0;
  return Object.assign({}, ...parts, own, hasMembers && { properties });
}
