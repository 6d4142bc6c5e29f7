import type { Chunk } from './api-types.ts';
import { Chunksmith } from './client.ts';
import type { ChunksmithOptions } from './settings.ts';

/** Texts per request. */
const AT_ONCE = 100;

/** Where the service is, and how it splits: the common parameters of all adapters. */
export interface SplittingParams extends ChunksmithOptions {
  /** A client to use, instead of creating one from the options. */
  readonly client?: Chunksmith;
  /** Default `recursive`. */
  readonly chunker?: string;
  /** Further options of the chunker, such as its `tokenizer`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /**
   * Maximum tokens per chunk, characters unless `options` names a tokenizer; the default is that of the framework.
   */
  readonly chunkSize?: number;
  /** Sent if not 0, for chunkers that support it; default 0. */
  readonly chunkOverlap?: number;
}

/** Has a service split any number of texts. */
export class Splitting {
  readonly #client: Chunksmith;
  readonly #chunker: string;
  readonly #options: Readonly<Record<string, unknown>>;

  constructor(params: SplittingParams, chunkSize: number) {
    const { client, chunker = 'recursive', options, chunkOverlap = 0 } = params;
    this.#client = client ?? new Chunksmith(params);
    this.#chunker = chunker;
    const overlap = chunkOverlap === 0 ? {} : { chunk_overlap: chunkOverlap };
    this.#options = { chunk_size: chunkSize, ...overlap, ...options };
  }

  /** The chunks of each text, in order, with UTF-16 offsets. */
  async chunksOf(texts: readonly string[]): Promise<Chunk[][]> {
    const lists: Chunk[][] = [];
    for (let first = 0; first < texts.length; first += AT_ONCE) {
      const text = texts.slice(first, first + AT_ONCE);
      const request = { ...this.#options, text, offset_unit: 'utf16' };
      const some: Chunk[][] = await this.#client.chunk(this.#chunker, request);
      lists.push(...some);
    }
    return lists;
  }
}
