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
  /** Models that can be opened now without a download, or that the provider knows by name. */
  list(): readonly ModelInfo[] | Promise<readonly ModelInfo[]>;
  /** Opens a model; `undefined` if the plugin has none with that name. */
  open(name: string, signal: AbortSignal): Promise<EmbeddingModel | undefined>;
}

export interface ModelInfo {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Changes with the weights. */
  readonly version?: string;
  /** The length of its vectors. */
  readonly dimensions?: number;
  /**
   * Maximum tokens of a text that it reads, with its prompt and special tokens; null if it reads any text to its end.
   * Left out if that is not known.
   */
  readonly window?: number | null;
}

/** A model that is ready to embed. It is opened once per thread and shared by requests. */
export interface EmbeddingModel {
  /** Its own name, even if the request gave an alias. */
  readonly name: string;
  /** Bytes of memory that it takes in this thread, not counting tables in shared buffers. */
  readonly bytes: number;
  /** Counts the tokens of `chunk_size` if a chunker uses this model. */
  tokenizer(): Promise<Tokenizer>;
  /**
   * How much of a text it reads; null if it reads any text to its end. Left out if that is not known: such a model
   * refuses a longer text, as `TextRefusal` says, instead of cutting it. The caller gives it texts within its window,
   * or longer ones to be cut.
   */
  readonly window?: ModelWindow | null;
  /** One vector per text, in order. An empty text has a vector too. */
  embed(texts: readonly string[], request: EmbedRequest): Promise<Vectors>;
  /**
   * Maps a cosine similarity to the scale on which 0.5 means "another topic"; strictly increasing. Models
   * without it are compared by the cosine itself.
   */
  calibrate?(cosine: number): number;
  /** Frees what the garbage collector does not. Called once, when no request uses the model. */
  close?(): void | Promise<void>;
}

/** How much of a text a model reads. What is beyond it is cut off. */
export interface ModelWindow {
  /** Maximum tokens of a text, with its prompt and special tokens. */
  readonly tokens: number;
  /** The exact number of tokens that the model reads for a text of any length: with its prompt and special tokens. */
  count(text: string, purpose: Purpose): number;
}

/** What to do with a text beyond the window of its model: average the vectors of its windows, cut it, or refuse it. */
export const LONG_TEXTS = ['average', 'cut', 'refuse'] as const;
export type LongTexts = (typeof LONG_TEXTS)[number];

/** An error of `embed` about a single text has this member, so that the caller learns which one it is. */
export interface TextRefusal {
  /** Its index among the texts of the call. */
  readonly refusedText: number;
}

/** What vectors are for: to be found by a search, to search with, or to be compared with each other. */
export const PURPOSES = ['document', 'query', 'similarity'] as const;
export type Purpose = (typeof PURPOSES)[number];

export interface EmbedRequest {
  /** Models that distinguish purposes embed the same text differently for each; others ignore it. */
  readonly purpose: Purpose;
  /** Aborts once the answer is no longer wanted: the client has gone, or time is up. */
  readonly signal: AbortSignal;
  /** Called with the number of texts done, if the model takes more than one step. */
  readonly progress?: (done: number) => void;
}

/** Vectors of equal length, one after the other. */
export interface Vectors {
  readonly dimensions: number;
  readonly values: Float32Array;
  /**
   * The indexes of the texts with no word that the model knows, so that their vectors mean nothing, if it can tell.
   * Without it, those with zero vectors are reported.
   */
  readonly wordless?: readonly number[];
  /** The name of a lexical fallback, and how many of the texts have its vectors because the model knows too few words. */
  readonly fallback?: { readonly name: string; readonly texts: number };
}
