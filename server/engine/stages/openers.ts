import type { Log } from '../../../core/contracts/collaborators.ts';
import type { EmbeddingModel, ModelInfo } from '../../../core/contracts/embedding.ts';
import type { Kind } from '../../../core/contracts/manifest.ts';
import type { Tokenizer, TokenizerProvider } from '../../../core/contracts/tokenizer.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { PluginHost } from '../../../core/hosting/container.ts';
import { callPlugin } from '../../../core/hosting/plugin-error.ts';
import { isNamed, ownersOf, type PluginEntry, type Registry } from '../../../core/hosting/registry.ts';
import type { Config } from '../../config/config.ts';
import { defaultNameOf } from '../read/request-schemas.ts';
import { suggest } from '../validation/suggest.ts';
import { type Lease, LeaseCache } from './lease-cache.ts';

export interface ListedModel extends ModelInfo {
  readonly provider: string;
}

const MAX_TOKENIZERS = 8;

/** Wraps a provider so that requests and plugins share its open tokenizers. */
export function keepTokenizers(provider: TokenizerProvider, log: Log): TokenizerProvider {
  const cache = new LeaseCache<Tokenizer>({ max: MAX_TOKENIZERS });
  return {
    names: () => provider.names(),
    aliases: () => provider.aliases?.() ?? {},
    async open(name) {
      // A tokenizer holds only memory, so it stays usable without a lease.
      const kept = cache.kept(name);
      if (kept !== undefined) return kept;
      const lease = await cache.lease(name, async () => {
        const start = performance.now();
        const tokenizer = await provider.open(name);
        if (tokenizer !== undefined) logOpened(log, 'tokenizer', name, start);
        return tokenizer;
      });
      lease?.release();
      return lease?.value;
    },
  };
}

interface OpenersOptions {
  readonly registry: Registry;
  readonly host: PluginHost;
  readonly log: Log;
  readonly config: Pick<Config, 'maxModels' | 'maxModelBytes' | 'modelAliases' | 'allowDownloads'>;
}

/** Resolves the names of tokenizers and embedding models to their plugins; no other code does. */
export class Openers {
  readonly #registry: Registry;
  readonly #host: PluginHost;
  readonly #log: Log;
  readonly #config: OpenersOptions['config'];
  readonly #models: LeaseCache<EmbeddingModel>;
  readonly #aliases: ReturnType<typeof createModelAliases>;
  readonly #defaultTokenizer: string | undefined;
  #kept: Tokenizer | undefined;

  constructor({ registry, host, log, config }: OpenersOptions) {
    this.#registry = registry;
    this.#host = host;
    this.#log = log;
    this.#config = config;
    this.#models = new LeaseCache<EmbeddingModel>({
      max: config.maxModels,
      maxSize: config.maxModelBytes,
      sizeOf: ({ bytes }) => bytes,
      free: (model) => closeModel(model, log),
    });
    this.#aliases = createModelAliases(config.modelAliases);
    this.#defaultTokenizer = defaultNameOf(registry, 'tokenizer');
  }

  /** Opens a tokenizer. @throws ServiceError `unknown_tokenizer`, `missing_capability`, `plugin_failed` */
  async tokenizer(name: string): Promise<Tokenizer> {
    const isDefault = name === this.#defaultTokenizer;
    if (isDefault && this.#kept !== undefined) return this.#kept;
    for (const owner of ownersOf(this.#registry, 'tokenizer', name)) {
      const tokenizer = await callPlugin(owner, async () => {
        return (await this.#host.get('tokenizer', owner.manifest.name)).open(name);
      });
      if (tokenizer === undefined) continue;
      if (isDefault) this.#kept = tokenizer;
      return tokenizer;
    }
    throw await this.#unknownTokenizer(name);
  }

  /**
   * Opens a model by its name or an alias. The request that opens the model must release the lease.
   *
   * @throws ServiceError `unknown_model`, `model_files_missing`, `missing_capability`, `plugin_failed`
   */
  async model(asked: string, signal?: AbortSignal): Promise<Lease<EmbeddingModel>> {
    const name = this.#aliases.targetOf(asked);
    const lease = await this.#models.lease(name, (stop) => this.#openModel(name, stop), signal);
    if (lease !== undefined) return lease;
    throw await this.#unknownModel(name, this.#aliases.describe(asked));
  }

  /**
   * Checks that a tokenizer of this name may exist. Neither opens a listed tokenizer nor downloads anything.
   *
   * @throws ServiceError as `tokenizer`
   */
  async checkTokenizer(name: string): Promise<void> {
    const isListed = (await this.tokenizerNames()).includes(name);
    if (!isListed && !this.#config.allowDownloads) await this.tokenizer(name);
  }

  /**
   * Checks that a model of this name may exist. Neither opens a listed model nor downloads anything.
   *
   * @throws ServiceError as `model`
   */
  async checkModel(asked: string): Promise<void> {
    const name = this.#aliases.targetOf(asked);
    const isListed = namesOf(await this.#listAll()).includes(name);
    if (!isListed && !this.#config.allowDownloads) (await this.model(asked)).release();
  }

  /** Opens models in advance. If a model fails to open, the next request for the model reports the reason. */
  async prepare(models: readonly string[]): Promise<void> {
    for (const name of models) {
      const lease = await this.model(name).catch(() => undefined);
      lease?.release();
    }
  }

  owners(kind: 'tokenizer' | 'embedding', name: string): readonly PluginEntry[] {
    return ownersOf(this.#registry, kind, kind === 'embedding' ? this.#aliases.targetOf(name) : name);
  }

  /** All models that can be opened or are known by name. Each has its plugin and all its names. */
  async listModels(): Promise<ListedModel[]> {
    return this.#aliases.addTo(await this.#listAll());
  }

  async tokenizerNames(): Promise<readonly string[]> {
    const names = this.#ready('tokenizer').map(async ({ manifest }) =>
      (await this.#host.get('tokenizer', manifest.name)).names(),
    );
    return (await Promise.all(names)).flat();
  }

  async lostAliases(): Promise<readonly string[]> {
    const given = Object.entries(this.#config.modelAliases);
    if (this.#config.allowDownloads || given.length === 0) return [];
    const names = namesOf(await this.#listAll());
    const isClaimed = (name: string) =>
      ownersOf(this.#registry, 'embedding', name).some((owner) => isNamed(owner, name));
    const lost = given.filter(([, name]) => !names.includes(name) && !isClaimed(name));
    return lost.map(([alias, name]) => `--model-aliases ${alias}=${name}: there is no model ${name} here`);
  }

  close(): Promise<void> {
    return this.#models.close();
  }

  async #openModel(name: string, signal: AbortSignal): Promise<EmbeddingModel | undefined> {
    const owners = ownersOf(this.#registry, 'embedding', name);
    for (const owner of owners) {
      if (owners.length > 1 && owner.missing.length > 0) continue;
      const start = performance.now();
      const model = await callPlugin(owner, async () => {
        return (await this.#host.get('embedding', owner.manifest.name)).open(name, signal);
      });
      if (model === undefined) continue;
      logOpened(this.#log, 'model', model.name, start);
      return model;
    }
    return undefined;
  }

  async #listAll(): Promise<ListedModel[]> {
    const lists = await Promise.all(
      this.#ready('embedding').map(async ({ manifest }) => {
        const models = await (await this.#host.get('embedding', manifest.name)).list();
        return models.map((model) => ({ ...model, provider: manifest.name }));
      }),
    );
    return lists.flat();
  }

  #ready(kind: Kind): readonly PluginEntry[] {
    return this.#registry.ofKind(kind).filter(({ missing }) => missing.length === 0);
  }

  /**
   * The error for a model that no plugin opened. If a plugin claims the name, only the model's files are missing.
   *
   * @param shown the name for the message; an alias is shown with its model
   */
  async #unknownModel(name: string, shown: string): Promise<ServiceError> {
    const owners = ownersOf(this.#registry, 'embedding', name);
    if (owners.some((owner) => isNamed(owner, name))) {
      return new ServiceError('model_files_missing', { name: shown });
    }
    const names = namesOf(await this.listModels());
    const known = names.join(', ') || 'none';
    const near = closest(name, names);
    const lacking = owners.filter(({ missing }) => missing.length > 0);
    const hint = [
      ...lacking.map(({ id, missing }) => ` ${id} cannot look for it: ${missing.join('; ')}.`),
      ...(near === undefined ? [] : [` Did you mean "${near}"?`]),
    ].join('');
    const remedy = this.#registry.ofKind('embedding').length === 0 ? ADD_PLUGIN : ADD_MODEL;
    return new ServiceError('unknown_model', { name: shown, known, remedy, hint });
  }

  async #unknownTokenizer(name: string): Promise<ServiceError> {
    const known = await this.tokenizerNames();
    const patterns = this.#ready('tokenizer').flatMap(({ manifest }) => manifest.models ?? []);
    const near = closest(name, [...known, ...patterns.filter((pattern) => !pattern.endsWith('*'))]);
    return new ServiceError('unknown_tokenizer', {
      name: JSON.stringify(name),
      known: known.join(', '),
      hint: (near === undefined ? '' : ` Did you mean "${near}"?`) + (patterns.includes('*') ? INSTALL : ''),
    });
  }
}

function namesOf(models: readonly ModelInfo[]): string[] {
  return models.flatMap((model) => [model.name, ...(model.aliases ?? [])]);
}

function logOpened(log: Log, kind: 'model' | 'tokenizer', name: string, start: number): void {
  log.debug({ [kind]: name, ms: Math.round(performance.now() - start) }, `opened a ${kind}`);
}

async function closeModel(model: EmbeddingModel, log: Log): Promise<void> {
  try {
    await model.close?.();
  } catch (error) {
    log.warn({ err: error, model: model.name }, 'a model could not be closed');
  }
}

const ADD_MODEL =
  'To add one, put its files (tokenizer.json with model.safetensors and config.json, or with onnx/model.onnx) into a folder of its name in the models folder, or start the server with --allow-downloads.';
const ADD_PLUGIN =
  'No embedding plugin is loaded: add one to --plugins, such as embedding/static, or restore its folder, and restart the server.';

/** Minimum letters of a name that may be a prefix of a known name. Shorter names match by chance. */
const MIN_BEGINNING = 4;

/**
 * The known name that differs only in punctuation and case; otherwise one that begins with the name; otherwise
 * the closest. So `gpt4` is gpt-4, not gpt2, and `cl100k` is cl100k_base.
 */
function closest(name: string, known: readonly string[]): string | undefined {
  const plain = (one: string) => one.toLowerCase().replace(/[^a-z0-9]/g, '');
  const begins =
    name.length < MIN_BEGINNING ? undefined : known.find((one) => plain(one).startsWith(plain(name)));
  return known.find((one) => plain(one) === plain(name)) ?? begins ?? suggest(name, known);
}

const INSTALL =
  ' To add one, put its tokenizer.json into a folder of its name in the models folder, or start the server with --allow-downloads.';

function createModelAliases(given: Readonly<Record<string, string>>) {
  const targets = new Map(Object.entries(given));
  const targetOf = (name: string) => targets.get(name) ?? name;

  function withAliases(model: ListedModel): ListedModel {
    const own = (model.aliases ?? []).filter((alias) => !targets.has(alias));
    const names = [model.name, ...(model.aliases ?? [])];
    const further = [...targets].filter(([, target]) => names.includes(target)).map(([alias]) => alias);
    return own.length + further.length === 0 ? model : { ...model, aliases: [...own, ...further] };
  }

  return {
    targetOf,
    /** The quoted name for messages. For an alias, the name of its model comes first. */
    describe(name: string) {
      const target = JSON.stringify(targetOf(name));
      return targets.has(name) ? `${target}, for which ${JSON.stringify(name)} is an alias,` : target;
    },
    /** Adds the configured aliases to their models, and drops models whose own name is a configured alias. */
    addTo: (models: readonly ListedModel[]) =>
      models.filter(({ name }) => !targets.has(name)).map(withAliases),
  };
}
