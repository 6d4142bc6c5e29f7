import type { Tokenizer } from './tokenizer.ts';

/**
 * Result of an embedding plugin's factory: opens models by name. Creating the provider must not load a model.
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
  /** Lists the models that can be opened without a download, or that the provider knows by name. */
  list(): readonly ModelInfo[] | Promise<readonly ModelInfo[]>;
  /** Opens a model; `undefined` for an unknown name. */
  open(name: string, signal: AbortSignal): Promise<EmbeddingModel | undefined>;
}

export interface ModelInfo {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Version of the model's weights. Must change whenever the weights change. */
  readonly version?: string;
  /** Length of the model's vectors. */
  readonly dimensions?: number;
  /** Maximum tokens of a text, including its prompt and special tokens. Null: no limit; undefined: unknown. */
  readonly window?: number | null;
}

/** A model that is ready to embed. Each thread opens it once and shares it between requests. */
export interface EmbeddingModel {
  /** The model's main name, even if the model was requested by an alias. */
  readonly name: string;
  /** Bytes of memory per thread, excluding shared buffers. */
  readonly bytes: number;
  /** The tokenizer that measures `chunk_size` if a chunker uses this model. */
  tokenizer(): Promise<Tokenizer>;
  /**
   * The longest text that the model reads. Null means no limit; undefined means unknown. Callers may pass longer
   * texts, and the model then reads only their beginning. But a model with an unknown window must refuse a text that
   * is too long (see `TextRefusal`).
   */
  readonly window?: ModelWindow | null;
  /** Returns one vector per text, in order, also for an empty text. */
  embed(texts: readonly string[], request: EmbedRequest): Promise<Vectors>;
  /** Maps a cosine to a scale on which 0.5 means "another topic". Strictly increasing. Default: no change. */
  calibrate?(cosine: number): number;
  /** Frees resources that the garbage collector cannot free. Called once, when no request uses the model. */
  close?(): void | Promise<void>;
}

/** The longest text that a model reads. The model ignores everything beyond the window. */
export interface ModelWindow {
  /** Maximum tokens of a text, with its prompt and special tokens. */
  readonly tokens: number;
  /** Counts exactly the tokens of a text of any length, including its prompt and special tokens. */
  count(text: string, purpose: Purpose): number;
}

/** How to embed a text that is longer than the window: average the vectors of its windows, cut it, or refuse it. */
export const LONG_TEXTS = ['average', 'cut', 'refuse'] as const;
export type LongTexts = (typeof LONG_TEXTS)[number];

/** Properties of an error that `embed` throws because of one text. */
export interface TextRefusal {
  /** Index of the refused text in the call's list of texts. */
  readonly refusedText: number;
}

/** What a vector is for: to be found by a search, to search with, or to be compared with similar vectors. */
export const PURPOSES = ['document', 'query', 'similarity'] as const;
export type Purpose = (typeof PURPOSES)[number];

export interface EmbedRequest {
  /** Some models embed a text differently for each purpose; other models ignore the purpose. */
  readonly purpose: Purpose;
  /** Aborts if the client disconnects or the time limit is reached. */
  readonly signal: AbortSignal;
  /** Called with the number of texts embedded so far, if the model embeds in several steps. */
  readonly progress?: (done: number) => void;
}

/** Vectors of equal length, stored one after another in `values`. */
export interface Vectors {
  readonly dimensions: number;
  readonly values: Float32Array;
  /** Indexes of texts in which the model knows no word. Default: the texts whose vector is zero. */
  readonly wordless?: readonly number[];
  /** The lexical method for texts of which the model knows too few words. `texts` is the number of such texts. */
  readonly fallback?: { readonly name: string; readonly texts: number };
}
