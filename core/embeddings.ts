import { asPluginError, type PluginHost } from './container.ts';
import type { EmbeddingModel, Log, ModelInfo, Vectors } from './contracts.ts';
import { ServiceError } from './errors.ts';
import { ownersOf } from './models.ts';
import type { Registry } from './registry.ts';

/** The embedding models of one thread: opened once, shared by requests, bounded in number and memory. */
export interface Embeddings {
  /**
   * Opens a model for one request, which must give it back.
   *
   * @throws ServiceError `unknown_model`, `missing_capability`, `plugin_failed`
   */
  borrow(name: string, signal: AbortSignal, watch?: EmbeddingWatch): Promise<Loan>;
  /** All models that can be opened or are known by name, with the plugin that answers for them. */
  list(): Promise<ListedModel[]>;
}

/** What a request wants to know of its model. */
export interface EmbeddingWatch {
  /** Told when the model had to be opened. */
  opened(model: string): void;
  /** Runs an embedding and measures it. */
  time<T>(stage: 'embed', model: string, work: () => Promise<T>): Promise<T>;
}

const UNWATCHED: EmbeddingWatch = { opened() {}, time: (_stage, _model, work) => work() };

/** A model in use by one request. */
export interface Loan {
  readonly model: EmbeddingModel;
  giveBack(): void;
}

export interface ListedModel extends ModelInfo {
  readonly provider: string;
}

export interface EmbeddingLimits {
  /** Most models that stay open. */
  readonly models: number;
  /** Most bytes of the models that stay open. */
  readonly bytes: number;
}

interface Shelved {
  readonly opening: Promise<EmbeddingModel>;
  /** Ends the opening when nobody waits for it. */
  readonly stop: AbortController;
  model?: EmbeddingModel;
  users: number;
}

/** The one place where a model's name finds its provider. */
export function createEmbeddings(
  registry: Registry,
  host: PluginHost,
  log: Log,
  limits: EmbeddingLimits,
): Embeddings {
  /** In the order of last use, the oldest first. */
  const shelf = new Map<string, Shelved>();

  async function borrow(name: string, signal: AbortSignal, watch = UNWATCHED): Promise<Loan> {
    const known = shelf.get(name);
    const shelved = known ?? startOpening(name);
    shelf.delete(name);
    shelf.set(name, shelved);
    shelved.users++;
    const giveUp = () => {
      if (shelved.users === 1) shelved.stop.abort(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      const model = await shelved.opening;
      shelved.model = model;
      if (known === undefined) watch.opened(model.name);
      return { model: supervised(model, log, watch), giveBack: () => leave(shelved) };
    } catch (error) {
      if (shelf.get(name) === shelved) shelf.delete(name);
      throw error;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  function startOpening(name: string): Shelved {
    const stop = new AbortController();
    return { opening: open(name, stop.signal), stop, users: 0 };
  }

  async function open(name: string, signal: AbortSignal): Promise<EmbeddingModel> {
    const owners = ownersOf(registry, 'embedding', name);
    for (const owner of owners) {
      const isOnlyOne = owners.length === 1;
      if (!isOnlyOne && owner.missing.length > 0) continue;
      const provider = await host.get('embedding', owner.manifest.name);
      try {
        const start = performance.now();
        const model = await provider.open(name, signal);
        if (model === undefined) continue;
        log.debug({ model: model.name, ms: Math.round(performance.now() - start) }, 'opened a model');
        return model;
      } catch (error) {
        throw asPluginError(owner, error);
      }
    }
    throw await unknown(name);
  }

  function leave(shelved: Shelved): void {
    shelved.users--;
    for (const [name, { model, users }] of shelf) {
      if (!isOverLimits()) return;
      if (users > 0 || model === undefined) continue;
      shelf.delete(name);
      void Promise.resolve(model.close?.()).catch((error: unknown) => {
        log.warn({ err: error, model: model.name }, 'a model could not be closed');
      });
    }
  }

  function isOverLimits(): boolean {
    let bytes = 0;
    for (const { model } of shelf.values()) bytes += model?.bytes ?? 0;
    return shelf.size > limits.models || bytes > limits.bytes;
  }

  async function list(): Promise<ListedModel[]> {
    const ready = registry.ofKind('embedding').filter(({ missing }) => missing.length === 0);
    const lists = await Promise.all(
      ready.map(async ({ manifest }) => {
        const models = await (await host.get('embedding', manifest.name)).list();
        return models.map((model) => ({ ...model, provider: manifest.name }));
      }),
    );
    return lists.flat();
  }

  async function unknown(name: string): Promise<ServiceError> {
    const known = (await list()).flatMap((model) => [model.name, ...(model.aliases ?? [])]).join(', ');
    return new ServiceError('unknown_model', { name: JSON.stringify(name), known: known || 'none' });
  }

  return { borrow, list };
}

/** The least time between two lines of progress in the log, in milliseconds. */
const PROGRESS_MS = 1000;

/** The model as one request sees it: it logs progress, is measured, and no wrong vectors get out of it. */
function supervised(model: EmbeddingModel, log: Log, watch: EmbeddingWatch): EmbeddingModel {
  const { calibrate } = model;
  return {
    name: model.name,
    bytes: model.bytes,
    tokenizer: () => model.tokenizer(),
    ...(calibrate === undefined ? {} : { calibrate: (cosine) => calibrate.call(model, cosine) }),
    async embed(texts, request) {
      let said = performance.now();
      const progress = (done: number) => {
        request.progress?.(done);
        if (performance.now() - said < PROGRESS_MS) return;
        said = performance.now();
        log.debug({ model: model.name, done, of: texts.length }, 'embedding');
      };
      const vectors = await watch.time('embed', model.name, () =>
        model.embed(texts, { ...request, progress }),
      );
      const reason = findFault(vectors, texts.length);
      if (reason === undefined) return vectors;
      throw new ServiceError('broken_promise', { kind: 'embedding', name: model.name, reason });
    },
  };
}

function findFault({ dimensions, values }: Vectors, texts: number): string | undefined {
  if (!(Number.isInteger(dimensions) && (dimensions > 0 || texts === 0))) {
    return `a vector of ${dimensions} numbers`;
  }
  if (values.length !== texts * dimensions) {
    return `${values.length} numbers for ${texts} texts of ${dimensions} each`;
  }
  return areFinite(values) ? undefined : 'a number that is not finite';
}

function areFinite(values: Float32Array): boolean {
  for (let index = 0; index < values.length; index++) if (!Number.isFinite(values[index])) return false;
  return true;
}
