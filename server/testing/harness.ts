import type { Chunk } from '../../core/contracts/chunk.ts';
import type { EmbeddingModel } from '../../core/contracts/embedding.ts';
import type { Kind, Manifest } from '../../core/contracts/manifest.ts';
import type { Implementations } from '../../core/contracts/plugin.ts';
import type { ReadFile, SourceFile } from '../../core/contracts/reader.ts';
import type { Sink } from '../../core/contracts/sink.ts';
import type { Tokenizer } from '../../core/contracts/tokenizer.ts';
import { createRegistry, type PluginEntry, type Registry } from '../../core/hosting/registry.ts';
import { type Config, configOf } from '../config/config.ts';
import { metadataOf } from '../engine/answer/response-metadata.ts';
import { defaultNameOf } from '../engine/read/request-schemas.ts';
import { ownBuffers } from '../engine/run/shared-buffers.ts';
import type { Service } from '../engine/service.ts';
import { countingTokenizer } from '../engine/stages/counting-tokenizer.ts';
import type { Openers } from '../engine/stages/openers.ts';
import { startRefining } from '../engine/stages/refining.ts';
import type { Answer, Task } from '../engine/tasks.ts';
import { createValidator } from '../engine/validation/validator.ts';
import { createHostedModels } from '../plugins/hosted/provider.ts';
import { loadPlugins } from '../plugins/loader/loader.ts';
import { createServiceContainer } from '../service-container.ts';
import { BrokenContract } from './broken-contract.ts';
import { quietLog } from './collaborators.ts';
import { type SinkStandIn, startStandIn } from './contracts/sink/stand-in.ts';

type Options = Readonly<Record<string, unknown>>;

export interface HarnessOptions {
  /** The loaded plugins; by default, the configured plugins are loaded. */
  readonly registry?: Registry;
  /** Folder of further stand-ins, `<standIns>/<sink>/stand-in`, for sinks without one of their own. */
  readonly standIns?: string;
}

/** Runs plugins as the service does. The contract suites use the service only through this type. */
export type Harness = Awaited<ReturnType<typeof openHarness>>;

/** @param config changes to the default configuration, such as additional folders of plugins */
export async function openHarness(
  config: Partial<Config> = {},
  { registry: loaded, standIns }: HarnessOptions = {},
) {
  const composed = await composeQuietly(config, loaded);
  const { registry, host, openers, service } = composed;
  return {
    plugins: (kind: Kind) => registry.ofKind(kind),
    make: <K extends Kind>(kind: K, name: string): Promise<Implementations[K]> => host.get(kind, name),
    /** The body that answers a request. @throws BrokenContract for a report that is not in the manifest */
    async chunk(name: string, request: object): Promise<string> {
      const { bytes, reported } = await runTask(service, { run: 'chunk', name }, request);
      checkReports(registry.require('chunker', name).manifest, Object.keys(metadataOf(reported)));
      return Buffer.from(bytes).toString();
    },
    /** Runs a request to a chunker or refinery. @throws ServiceError as the service does */
    async request({ kind, name }: Manifest, body: object): Promise<void> {
      await runTask(service, { run: kind === 'chunker' ? 'chunk' : 'refine', name }, body);
    },
    /** Calls a refinery without a request. @throws BrokenContract for a report that is not in the manifest */
    async refine(manifest: Manifest, chunks: readonly Chunk[], options: Options, signal: AbortSignal) {
      const context = await refineContext(composed, manifest, chunks, options);
      const refinery = await host.get('refinery', manifest.name);
      return withReports(manifest, (report) =>
        refinery.refine(chunks, options as never, { ...context, report, signal } as never),
      );
    },
    /** Calls a reader without a request. @throws BrokenContract for a report that is not in the manifest */
    async read(manifest: Manifest, file: SourceFile, signal: AbortSignal): Promise<ReadFile> {
      const reader = await host.get('reader', manifest.name);
      const options = optionsOf(manifest, {});
      return withReports(manifest, (report) => reader.read(file, { report, signal, options }));
    },
    /** Creates a sink with the given environment variables, and with short waits before retries. */
    sink: makeSink,
    /** Starts a sink's stand-in, or returns why it cannot run. @throws BrokenContract if there is none */
    standIn: (plugin: PluginEntry): Promise<SinkStandIn | string> => startStandIn(plugin, standIns),
    optionsOf,
    tokenizerNames: () => openers.tokenizerNames(),
    async tokenizerFor({ uses = [] }: Manifest, options: Options): Promise<Tokenizer> {
      const named = (options.tokenizer as string | null | undefined) ?? undefined;
      if (named === undefined && uses.includes('embedding'))
        return countingTokenizer(await openModel(openers, options));
      return openers.tokenizer(named ?? defaultNameOf(registry, 'tokenizer') ?? '');
    },
  };
}

type Composed = Awaited<ReturnType<typeof composeQuietly>>;

/** Opens an embedding model. It stays open until the tests end. */
async function openModel(openers: Openers, { embedding_model }: Options): Promise<EmbeddingModel> {
  return (await openers.model(embedding_model as string)).value;
}

async function refineContext(
  { registry, openers }: Composed,
  { uses = [], name }: Manifest,
  chunks: readonly Chunk[],
  options: Options,
) {
  const { tools } = startRefining(registry.require('refinery', name), chunks, [], undefined);
  return {
    ...tools,
    ...(uses.includes('tokenizer') && { tokenizer: await openers.tokenizer(options.tokenizer as string) }),
    ...(uses.includes('embedding') && { model: await openModel(openers, options) }),
    document: {},
  };
}

const FAST = { fetch, limits: { retries: 3, firstDelay: 1, maxDelay: 2000 }, timeout: 10_000 };

function makeSink(plugin: PluginEntry, env: Readonly<Record<string, string>>): Promise<Sink> {
  const registry = createRegistry([{ ...plugin, missing: [] }]);
  const of = { config: configOf({}), log: quietLog, shared: ownBuffers, registry };
  const { host } = createServiceContainer({ ...of, env, hosted: createHostedModels(FAST) }).cradle;
  return host.get('sink', plugin.manifest.name);
}

function optionsOf({ options }: Manifest, given: Options): Options {
  return options === undefined ? given : createValidator(options)(structuredClone(given));
}

/** Runs code that reports metadata. @throws BrokenContract for a report that is not in the manifest */
async function withReports<T>(
  manifest: Manifest,
  run: (report: (name: string) => void) => T | Promise<T>,
): Promise<T> {
  const reported: string[] = [];
  try {
    return await run((name) => void reported.push(name));
  } finally {
    checkReports(manifest, reported);
  }
}

/** The report that the service itself makes about the chunks of a chunker, and those about a model. */
const OF_CHUNKERS = ['chunks-oversize'];
const OF_MODELS = [
  'embedding-model',
  'embedding-empty',
  'embedding-empty-at',
  'embedding-fallback',
  'embedding-cut',
];

/** @throws BrokenContract for a name that is not in the manifest */
function checkReports({ kind, reports = {}, uses = [] }: Manifest, names: readonly string[]): void {
  const listed = [
    ...Object.keys(reports),
    ...(kind === 'chunker' ? OF_CHUNKERS : []),
    ...(uses.includes('embedding') ? OF_MODELS : []),
  ];
  const unlisted = names.filter((name) => !listed.includes(name));
  if (unlisted.length === 0) return;
  throw new BrokenContract([
    { promise: 'it reports only what its manifest lists', where: [...new Set(unlisted)].join(', ') },
  ]);
}

/** Composes the service for one thread, with the real parts but without a log. */
export async function composeQuietly(config: Partial<Config> = {}, registry?: Registry) {
  const whole = configOf(config);
  const loaded = registry ?? (await loadPlugins(whole, process.env));
  const given = { config: whole, log: quietLog, shared: ownBuffers, registry: loaded };
  const { requestSchemas, host, openers, service, pluginFailures } = createServiceContainer(given).cradle;
  return { registry: loaded, requestSchemas, host, openers, service, pluginFailures };
}

export function runTask(
  service: Service,
  task: Task,
  request: object | Uint8Array,
  signal: AbortSignal = new AbortController().signal,
): Promise<Answer> {
  const body = request instanceof Uint8Array ? request : Buffer.from(JSON.stringify(request));
  return service.run(service.read(task, body), signal);
}
