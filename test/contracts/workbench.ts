import type { Chunk } from '../../core/contracts/chunk.ts';
import type { EmbeddingModel } from '../../core/contracts/embedding.ts';
import type { Kind, Manifest } from '../../core/contracts/manifest.ts';
import type { Implementations } from '../../core/contracts/plugin.ts';
import type { ReadFile, SourceFile } from '../../core/contracts/reader.ts';
import type { Sink } from '../../core/contracts/sink.ts';
import type { Tokenizer } from '../../core/contracts/tokenizer.ts';
import { createPluginHost, type PluginHost } from '../../core/hosting/container.ts';
import { createRegistry, type PluginEntry, type Registry } from '../../core/hosting/registry.ts';
import type { Config } from '../../server/config/config.ts';
import { createHostedModels } from '../../server/hosted/provider.ts';
import { importFactory } from '../../server/loader/import-factory.ts';
import { startRefining } from '../../server/service/refining.ts';
import { createValidator } from '../../server/validation/validator.ts';
import { collaborators } from '../support/collaborators.ts';
import { composeQuietly, runTask } from '../support/service.ts';

type Options = Readonly<Record<string, unknown>>;

/** Runs plugins as the service does; the one part of the contract suites that knows how a service is made. */
export interface Workbench {
  /** All plugins of a kind that the loader finds. */
  plugins(kind: Kind): readonly PluginEntry[];
  make<K extends Kind>(kind: K, name: string): Promise<Implementations[K]>;
  /** The answer to a request, as text; throws if the chunker reports what its manifest does not list. */
  chunk(name: string, request: object): Promise<string>;
  /** Calls a refinery itself; throws if it reports what its manifest does not list. */
  refine(
    manifest: Manifest,
    chunks: readonly Chunk[],
    options: Options,
    signal: AbortSignal,
  ): Promise<readonly Chunk[]>;
  /** Calls a reader itself; throws if it reports what its manifest does not list. */
  read(manifest: Manifest, file: SourceFile, signal: AbortSignal): Promise<ReadFile>;
  /** Makes a sink that finds its database by these variables, and does not wait long before it tries again. */
  sink(plugin: PluginEntry, env: Readonly<Record<string, string>>): Promise<Sink>;
  /** Options of a plugin, checked and with defaults. */
  optionsOf(manifest: Manifest, given: Options): Options;
  /** Names of the tokenizers that requests can choose here. */
  tokenizerNames(): Promise<readonly string[]>;
  /** What counts the tokens of a request to a plugin. */
  tokenizerFor(manifest: Manifest, options: Options): Promise<Tokenizer>;
}

/** @param config folders of further plugins, for example */
export async function openWorkbench(config: Partial<Config> = {}): Promise<Workbench> {
  const { registry, host, openers, service } = await composeQuietly(config);

  /** Stays open until the tests end. */
  const openModel = async ({ embedding_model }: Options): Promise<EmbeddingModel> =>
    (await openers.model(embedding_model as string)).value;

  async function refineContext(
    manifest: Manifest,
    chunks: readonly Chunk[],
    options: Options,
    signal: AbortSignal,
  ) {
    const { uses = [], name } = manifest;
    const { tools } = startRefining(registry.require('refinery', name), chunks, [], undefined);
    return {
      ...tools,
      ...(uses.includes('tokenizer') && { tokenizer: await openers.tokenizer(options.tokenizer as string) }),
      ...(uses.includes('embedding') && { model: await openModel(options) }),
      document: {},
      report: reportOf(manifest),
      signal,
    };
  }

  return {
    plugins: (kind) => registry.ofKind(kind),
    make: (kind, name) => host.get(kind, name),
    async chunk(name, request) {
      const { bytes, metadata } = await runTask(service, { run: 'chunk', name }, request);
      checkReports(registry.require('chunker', name).manifest, Object.keys(metadata));
      return Buffer.from(bytes).toString();
    },
    async refine(manifest, chunks, options, signal) {
      const context = await refineContext(manifest, chunks, options, signal);
      return (await host.get('refinery', manifest.name)).refine(chunks, options as never, context as never);
    },
    read: async (manifest, file, signal) =>
      (await host.get('reader', manifest.name)).read(file, { report: reportOf(manifest), signal }),
    sink: makeSink,
    optionsOf,
    tokenizerNames: () => tokenizerNamesIn(registry, host),
    async tokenizerFor({ uses = [] }, options) {
      if (uses.includes('embedding')) return (await openModel(options)).tokenizer();
      return openers.tokenizer((options.tokenizer as string | undefined) ?? 'character');
    },
  };
}

const FAST = { fetch, limits: { retries: 3, firstDelay: 1, longestDelay: 2000 }, timeout: 10_000 };

function makeSink(plugin: PluginEntry, env: Readonly<Record<string, string>>): Promise<Sink> {
  const { env: _, ...given } = collaborators({ hosted: createHostedModels(FAST) });
  const registry = createRegistry([{ ...plugin, missing: [] }]);
  const host = createPluginHost({
    registry,
    importFactory: (entry) => importFactory(entry),
    collaborators: given,
    env,
  });
  return host.get('sink', plugin.manifest.name);
}

function optionsOf({ options }: Manifest, given: Options): Options {
  return options === undefined ? given : createValidator(options)(structuredClone(given));
}

async function tokenizerNamesIn(registry: Registry, host: PluginHost): Promise<readonly string[]> {
  const ready = registry.ofKind('tokenizer').filter(({ missing }) => missing.length === 0);
  const names = ready.map(async ({ manifest }) => (await host.get('tokenizer', manifest.name)).names());
  return (await Promise.all(names)).flat();
}

/** The `report` of a context. @throws Error if a plugin reports what its manifest does not list */
const reportOf = (manifest: Manifest) => (name: string) => checkReports(manifest, [name]);

/** @throws Error if a plugin reports what its manifest does not list; the service itself reports the model. */
function checkReports({ reports = {}, uses = [] }: Manifest, names: readonly string[]): void {
  const listed = [...Object.keys(reports), ...(uses.includes('embedding') ? ['embedding-model'] : [])];
  const unlisted = names.filter((name) => !listed.includes(name));
  if (unlisted.length > 0) throw new Error(`reports what its manifest does not list: ${unlisted.join(', ')}`);
}
