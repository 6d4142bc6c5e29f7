import type { Tokenizer } from './tokenizer.ts';

/**
 * What an embedding plugin's factory returns: it opens models by name. Cheap to create; loads nothing.
 *
 * ```ts
 * import type { EmbeddingModel, Factory, Tokenizer } from 'chunksmith/kit';
 * // It has `uses: ['tokenizer/character']`.
 * import type manifest from './manifest.ts';
 *
 * const createLengths: Factory<typeof manifest> = async (given) => {
 *   const characters = (await given['tokenizer/character'].open('character')) as Tokenizer;
 *   const model: EmbeddingModel = {
 *     name: 'lengths',
 *     bytes: 0,
 *     tokenizer: async () => characters,
 *     embed: async (texts) => ({ dimensions: 1, values: Float32Array.from(texts, ({ length }) => length) }),
 *   };
 *   return {
 *     list: () => [{ name: model.name, dimensions: 1 }],
 *     open: async (name) => (name === model.name ? model : undefined),
 *   };
 * };
 *
 * export default createLengths;
 * ```
 */
export interface EmbeddingProvider {
  /** Models that can be opened without a download, or that the provider knows by name. */
  list(): readonly ModelInfo[] | Promise<readonly ModelInfo[]>;
  /** Opens a model; `undefined` for an unknown name. */
  open(name: string, signal: AbortSignal): Promise<EmbeddingModel | undefined>;
}

export interface ModelInfo {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Version of the weights; it changes when they change. */
  readonly version?: string;
  /** Length of the model's vectors. */
  readonly dimensions?: number;
  /** Maximum tokens of a text, with its prompt and special tokens. Null: no limit; undefined: unknown. */
  readonly window?: number | null;
}

/** A model that is ready to embed. Each thread opens it once and shares it between requests. */
export interface EmbeddingModel {
  /** The model's own name, even if the request gave an alias. */
  readonly name: string;
  /** Bytes of memory per thread, excluding shared buffers. */
  readonly bytes: number;
  /** The tokenizer for `chunk_size` if a chunker uses this model. */
  tokenizer(): Promise<Tokenizer>;
  /**
   * The maximum text that the model reads. Null means no limit; undefined means unknown. A model with an unknown
   * window must refuse a longer text (see `TextRefusal`) instead of cutting it. Callers may pass longer texts to be
   * cut.
   */
  readonly window?: ModelWindow | null;
  /** Returns one vector per text, in order, also for an empty text. */
  embed(texts: readonly string[], request: EmbedRequest): Promise<Vectors>;
  /** Maps a cosine to a scale on which 0.5 means "another topic"; strictly increasing. Default: the cosine. */
  calibrate?(cosine: number): number;
  /** Frees resources that the garbage collector does not. Called once, when no request uses the model. */
  close?(): void | Promise<void>;
}

/** The maximum text that a model reads. The model ignores the rest. */
export interface ModelWindow {
  /** Maximum tokens of a text, with its prompt and special tokens. */
  readonly tokens: number;
  /** The exact number of tokens for a text of any length, with its prompt and special tokens. */
  count(text: string, purpose: Purpose): number;
}

/** Treatment of a text beyond the window: average the vectors of its windows, cut it, or refuse it. */
export const LONG_TEXTS = ['average', 'cut', 'refuse'] as const;
export type LongTexts = (typeof LONG_TEXTS)[number];

/** Added to an error of `embed` about one text, so that the caller can find the text. */
export interface TextRefusal {
  /** Index among the texts of the call. */
  readonly refusedText: number;
}

/** The use of vectors: to be found by a search, to search with, or to be compared with each other. */
export const PURPOSES = ['document', 'query', 'similarity'] as const;
export type Purpose = (typeof PURPOSES)[number];

export interface EmbedRequest {
  /** Some models embed a text differently for each purpose; others ignore it. */
  readonly purpose: Purpose;
  /** Aborts if the client disconnects or the time limit is reached. */
  readonly signal: AbortSignal;
  /** Called with the number of finished texts, if the model takes more than one step. */
  readonly progress?: (done: number) => void;
}

/** Vectors of equal length, concatenated. */
export interface Vectors {
  readonly dimensions: number;
  readonly values: Float32Array;
  /** Indexes of texts without a word that the model knows. Default: the texts with zero vectors. */
  readonly wordless?: readonly number[];
  /** A lexical fallback, and the number of its texts: the model knows too few of their words. */
  readonly fallback?: { readonly name: string; readonly texts: number };
}
