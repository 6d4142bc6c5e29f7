import { type CountedSpan, chunkText } from '../core/chunking.ts';
import { asPluginError, type PluginHost } from '../core/container.ts';
import type { Chunk, EmbeddingModel, Kind, ObjectSchema, Report } from '../core/contracts.ts';
import type { Embeddings, Loan } from '../core/embeddings.ts';
import { ServiceError } from '../core/errors.ts';
import type { OffsetUnit } from '../core/json-chunks.ts';
import { ownersOf } from '../core/models.ts';
import type { PluginEntry, Registry } from '../core/registry.ts';
import { chunkRequest, refineRequest, stepOptions } from '../core/requests.ts';
import type { Stopwatch } from './measures.ts';
import type { OpenTokenizer } from './tokenizers.ts';
import { createValidator, type Validate } from './validation.ts';

type Options = Readonly<Record<string, unknown>>;

/** How a call tells what it knows of the document it works on, and hears that nobody waits for it. */
export interface CallContext {
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly watch: Stopwatch;
}

/** A chunker with the options of one request. */
export interface ChunkCall {
  readonly unit: OffsetUnit;
  chunk(text: string): Promise<CountedSpan[]>;
  /** Gives back what was borrowed for the request. */
  end(): void;
}

/** A refinery with the options of one request. */
export interface RefineCall {
  refine(chunks: readonly Chunk[]): Promise<Chunk[]>;
  /** Gives back what was borrowed for the request. */
  end(): void;
}

/** Checks requests to plugins and makes them ready to run. All of it throws `ServiceError`. */
export interface PluginCalls {
  /** Checks a request to a chunker, its text included, and fills in the defaults. */
  checkChunk(name: string, request: unknown): Record<string, unknown>;
  /** Checks a request to a refinery, its chunks included, and fills in the defaults. */
  checkRefine(name: string, request: unknown): Record<string, unknown>;
  isInstalled(kind: 'chunker' | 'refinery', name: string): boolean;
  /** Checks the options of a step and returns them with the defaults. */
  checkStep(
    kind: 'chunker' | 'refinery',
    name: string,
    options: unknown,
    place: string,
  ): Record<string, unknown>;
  /** Whether nothing that a call uses is heavy. */
  isLight(kind: 'chunker' | 'refinery', name: string, options: Options): boolean;
  /** @param options checked, without text */
  chunker(name: string, options: Options, context: CallContext): Promise<ChunkCall>;
  /** @param options checked, without chunks */
  refinery(name: string, options: Options, context: CallContext): Promise<RefineCall>;
}

export function createPluginCalls(
  registry: Registry,
  host: PluginHost,
  openTokenizer: OpenTokenizer,
  embeddings: Embeddings,
): PluginCalls {
  const validators = new Map<string, Validate>();

  return {
    checkChunk: (name, request) =>
      validator(`chunk ${name}`, () => chunkRequest(registry.require('chunker', name).manifest))(request),

    checkRefine(name, request) {
      const { manifest } = registry.require('refinery', name);
      const { chunks } = (request ?? {}) as { chunks?: unknown };
      const documents = Array.isArray(chunks) && Array.isArray(chunks[0]) ? 'many' : 'one';
      return validator(`refine ${documents} ${name}`, () => refineRequest(manifest, documents))(request);
    },

    isInstalled: (kind, name) => registry.find(kind, name) !== undefined,

    checkStep(kind, name, options, place) {
      const { manifest } = registry.find(kind, name) ?? refuseStep(kind, name, place);
      return validator(`${kind} ${name}`, () => stepOptions(manifest))(structuredClone(options), place);
    },

    isLight(kind, name, { tokenizer = DEFAULT_TOKENIZER, embedding_model = '' }) {
      const entry = registry.find(kind, name);
      if (entry?.manifest.heavy === true || entry?.missing.length !== 0) return false;
      const owners = [
        ...ownersOf(registry, 'tokenizer', tokenizer as string),
        ...(usesModel(entry) ? ownersOf(registry, 'embedding', embedding_model as string) : []),
      ];
      return owners.every(({ manifest }) => manifest.heavy !== true);
    },

    async chunker(name, { tokenizer: tokenizerName = DEFAULT_TOKENIZER, offset_unit, ...options }, context) {
      const { report, signal, watch } = context;
      const entry = registry.require('chunker', name);
      const ready = { manifest: entry.manifest, chunker: await host.get('chunker', name) };
      return lend(entry, options, context, async (model) => {
        const tokenizer = await (model?.tokenizer() ?? openTokenizer(tokenizerName as string));
        const tools = { tokenizer, model, report, signal };
        return {
          unit: offset_unit as OffsetUnit,
          chunk(text) {
            if (model !== undefined) report('embedding-model', model.name);
            return guard(entry, () =>
              watch.time('chunk', name, () => chunkText(ready, text, options, tools)),
            );
          },
        };
      });
    },

    async refinery(name, { tokenizer: tokenizerName = DEFAULT_TOKENIZER, ...options }, context) {
      const { report, signal, watch } = context;
      const entry = registry.require('refinery', name);
      const refinery = await host.get('refinery', name);
      return lend(entry, options, context, async (model) => {
        const tokenizer = await openTokenizer(tokenizerName as string);
        const tools = { tokenizer, model: model as EmbeddingModel, report, signal };
        return {
          refine(chunks) {
            if (model !== undefined) report('embedding-model', model.name);
            return guard(entry, async () => {
              const refined = await watch.time('refine', name, () => refinery.refine(chunks, options, tools));
              if (refined.length === chunks.length) return refined;
              throw brokenPromise(entry, `it got ${chunks.length} chunks and returned ${refined.length}`);
            });
          },
        };
      });
    },
  };

  /** Makes a call with the model that its options name, if its plugin uses one, until the call ends. */
  async function lend<T extends object>(
    entry: PluginEntry,
    options: Options,
    { signal, watch }: CallContext,
    make: (model: EmbeddingModel | undefined) => Promise<T>,
  ): Promise<T & { end(): void }> {
    const name = options.embedding_model as string;
    const loan: Loan | undefined = usesModel(entry)
      ? await embeddings.borrow(name, signal, watch)
      : undefined;
    const end = () => loan?.giveBack();
    try {
      return { ...(await make(loan?.model)), end };
    } catch (error) {
      end();
      throw asPluginError(entry, error);
    }
  }

  function refuseStep(kind: Kind, name: string, place: string): never {
    const known = registry.ofKind(kind).map(({ manifest }) => manifest.name);
    const member = place.replace(/config\.$/, kind);
    const problems = `${member}: there is no ${kind} ${JSON.stringify(name)}; known are ${known.join(', ')}.`;
    throw new ServiceError('invalid_parameters', { problems });
  }

  function validator(key: string, schema: () => ObjectSchema): Validate {
    const validate = validators.get(key) ?? createValidator(schema());
    validators.set(key, validate);
    return validate;
  }
}

const DEFAULT_TOKENIZER = 'character';

const usesModel = ({ manifest }: PluginEntry) => manifest.uses?.includes('embedding') === true;

async function guard<T>(entry: PluginEntry, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw asPluginError(entry, error);
  }
}

function brokenPromise({ manifest: { kind, name } }: PluginEntry, reason: string): ServiceError {
  return new ServiceError('broken_promise', { kind, name, reason });
}
