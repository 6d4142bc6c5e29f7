import { type CountedSpan, chunkText } from '../core/chunking.ts';
import { asPluginError, type PluginHost } from '../core/container.ts';
import type { Chunk, Kind, ObjectSchema } from '../core/contracts.ts';
import { ServiceError } from '../core/errors.ts';
import type { OffsetUnit } from '../core/json-chunks.ts';
import { ownerOf } from '../core/models.ts';
import type { PluginEntry, Registry } from '../core/registry.ts';
import { chunkRequest, refineRequest, stepOptions } from '../core/requests.ts';
import type { OpenTokenizer } from './tokenizers.ts';
import { createValidator, type Validate } from './validation.ts';

type Options = Readonly<Record<string, unknown>>;

/** A chunker with the options of one request. */
export interface ChunkCall {
  readonly unit: OffsetUnit;
  chunk(text: string, signal: AbortSignal): Promise<CountedSpan[]>;
}

/** A refinery with the options of one request. */
export interface RefineCall {
  refine(chunks: readonly Chunk[], signal: AbortSignal): Promise<Chunk[]>;
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
  chunker(name: string, options: Options): Promise<ChunkCall>;
  /** @param options checked, without chunks */
  refinery(name: string, options: Options): Promise<RefineCall>;
}

export function createPluginCalls(
  registry: Registry,
  host: PluginHost,
  openTokenizer: OpenTokenizer,
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

    isLight(kind, name, { tokenizer = 'character' }) {
      const entry = registry.find(kind, name);
      const isHeavy = entry?.manifest.heavy === true || entry?.missing.length !== 0;
      return !isHeavy && ownerOf(registry, 'tokenizer', tokenizer as string)?.manifest.heavy !== true;
    },

    async chunker(name, { tokenizer: tokenizerName = 'character', offset_unit, ...options }) {
      const entry = registry.require('chunker', name);
      const tokenizer = await openTokenizer(tokenizerName as string);
      const ready = { manifest: entry.manifest, chunker: await host.get('chunker', name) };
      return {
        unit: offset_unit as OffsetUnit,
        chunk: (text, signal) => guard(entry, () => chunkText(ready, text, options, tokenizer, signal)),
      };
    },

    async refinery(name, { tokenizer: tokenizerName = 'character', ...options }) {
      const entry = registry.require('refinery', name);
      const tokenizer = await openTokenizer(tokenizerName as string);
      const refinery = await host.get('refinery', name);
      return {
        refine: (chunks, signal) =>
          guard(entry, async () => {
            const refined = await refinery.refine(chunks, options, { tokenizer, signal });
            if (refined.length === chunks.length) return refined;
            throw brokenPromise(entry, `it got ${chunks.length} chunks and returned ${refined.length}`);
          }),
      };
    },
  };

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
