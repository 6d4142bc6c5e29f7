import type { Log } from '../../core/contracts/collaborators.ts';
import type { EmbeddingModel, ModelInfo } from '../../core/contracts/embedding.ts';
import type { Tokenizer, TokenizerProvider } from '../../core/contracts/tokenizer.ts';
import { ServiceError } from '../../core/errors.ts';
import type { PluginHost } from '../../core/hosting/container.ts';
import { isNamed, ownersOf } from '../../core/hosting/owners.ts';
import { callPlugin } from '../../core/hosting/plugin-error.ts';
import type { Registry } from '../../core/hosting/registry.ts';
import type { Config } from '../config/config.ts';
import { type Lease, LeaseCache } from './lease-cache.ts';

/** The one place where the name of a tokenizer or an embedding model finds the plugin that opens it. */
export interface Openers {
  /**
   * Opens a tokenizer.
   *
   * @throws ServiceError `unknown_tokenizer`, `missing_capability`, `plugin_failed`
   */
  tokenizer(name: string): Promise<Tokenizer>;
  /**
   * Opens a model for one request, which must release it.
   *
   * @throws ServiceError `unknown_model`, `model_files_missing`, `missing_capability`, `plugin_failed`
   */
  model(name: string, signal?: AbortSignal): Promise<Lease<EmbeddingModel>>;
  /** All models that can be opened or are known by name, with the plugin that answers for them. */
  listModels(): Promise<ListedModel[]>;
  /** Closes the models. */
  close(): Promise<void>;
}

export interface ListedModel extends ModelInfo {
  readonly provider: string;
}

/** Most tokenizers of a plugin that stay open. */
const MOST_TOKENIZERS = 8;

/** Wraps a provider so that it keeps the tokenizers that it opens, for requests and for plugins that use it. */
export function keepTokenizers(provider: TokenizerProvider): TokenizerProvider {
  const cache = new LeaseCache<Tokenizer>({ max: MOST_TOKENIZERS });
  return {
    names: () => provider.names(),
    aliases: () => provider.aliases?.() ?? {},
    async open(name) {
      // A tokenizer holds nothing but memory, so it may be used without a lease.
      const kept = cache.kept(name);
      if (kept !== undefined) return kept;
      const lease = await cache.lease(name, () => provider.open(name));
      lease?.release();
      return lease?.value;
    },
  };
}

interface OpenersOptions {
  readonly registry: Registry;
  readonly host: PluginHost;
  readonly log: Log;
  readonly config: Pick<Config, 'maxModels' | 'maxModelBytes'>;
}

export function createOpeners({ registry, host, log, config }: OpenersOptions): Openers {
  const models = new LeaseCache<EmbeddingModel>({
    max: config.maxModels,
    maxSize: config.maxModelBytes,
    sizeOf: ({ bytes }) => bytes,
    free: (model) => closeModel(model, log),
  });
  const listModels = () => listAll(registry, host);

  return {
    async tokenizer(name) {
      for (const owner of ownersOf(registry, 'tokenizer', name)) {
        const tokenizer = await callPlugin(owner, async () => {
          return (await host.get('tokenizer', owner.manifest.name)).open(name);
        });
        if (tokenizer !== undefined) return tokenizer;
      }
      throw await unknownTokenizer(name, registry, host);
    },

    async model(name, signal) {
      const lease = await models.lease(
        name,
        (stop) => openModel(name, stop, { registry, host, log }),
        signal,
      );
      if (lease !== undefined) return lease;
      throw await unknownModel(name, registry, listModels);
    },

    listModels,
    close: () => models.close(),
  };
}

async function openModel(
  name: string,
  signal: AbortSignal,
  { registry, host, log }: Omit<OpenersOptions, 'config'>,
): Promise<EmbeddingModel | undefined> {
  const owners = ownersOf(registry, 'embedding', name);
  for (const owner of owners) {
    if (owners.length > 1 && owner.missing.length > 0) continue;
    const start = performance.now();
    const model = await callPlugin(owner, async () => {
      return (await host.get('embedding', owner.manifest.name)).open(name, signal);
    });
    if (model === undefined) continue;
    log.debug({ model: model.name, ms: Math.round(performance.now() - start) }, 'opened a model');
    return model;
  }
  return undefined;
}

async function closeModel(model: EmbeddingModel, log: Log): Promise<void> {
  try {
    await model.close?.();
  } catch (error) {
    log.warn({ err: error, model: model.name }, 'a model could not be closed');
  }
}

async function listAll(registry: Registry, host: PluginHost): Promise<ListedModel[]> {
  const ready = registry.ofKind('embedding').filter(({ missing }) => missing.length === 0);
  const lists = await Promise.all(
    ready.map(async ({ manifest }) => {
      const models = await (await host.get('embedding', manifest.name)).list();
      return models.map((model) => ({ ...model, provider: manifest.name }));
    }),
  );
  return lists.flat();
}

/** The error for a model that no plugin opened: if a plugin claims its name, only its files are missing here. */
async function unknownModel(
  name: string,
  registry: Registry,
  listModels: Openers['listModels'],
): Promise<ServiceError> {
  const owners = ownersOf(registry, 'embedding', name);
  if (owners.some((owner) => isNamed(owner, name))) {
    return new ServiceError('model_files_missing', { name: JSON.stringify(name) });
  }
  const known = (await listModels()).flatMap((model) => [model.name, ...(model.aliases ?? [])]).join(', ');
  const lacking = owners.filter(({ missing }) => missing.length > 0);
  const hint = lacking.map(({ id, missing }) => ` ${id} cannot look for it: ${missing.join('; ')}.`).join('');
  return new ServiceError('unknown_model', { name: JSON.stringify(name), known: known || 'none', hint });
}

async function unknownTokenizer(name: string, registry: Registry, host: PluginHost): Promise<ServiceError> {
  const ready = registry.ofKind('tokenizer').filter((entry) => entry.missing.length === 0);
  const names = await Promise.all(
    ready.map(async ({ manifest }) => (await host.get('tokenizer', manifest.name)).names()),
  );
  return new ServiceError('unknown_tokenizer', {
    name: JSON.stringify(name),
    known: names.flat().join(', '),
  });
}
