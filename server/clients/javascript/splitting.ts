import type { Chunk } from './api-types.ts';
import { Chunksmith } from './client.ts';
import type { ChunksmithOptions } from './transport.ts';

const AT_ONCE = 100;

/** Common parameters of all adapters: connection and splitting settings. */
export interface SplittingParams extends ChunksmithOptions {
  /** A client to use instead of a new one. */
  readonly client?: Chunksmith;
  /** Default `recursive`. */
  readonly chunker?: string;
  /** Further options of the chunker, such as its `tokenizer`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /**
   * Maximum size of a chunk: in characters, or in tokens if `options` names a tokenizer. Default: the framework's.
   */
  readonly chunkSize?: number;
  /** Sent if not 0, for chunkers that support it. Default 0. */
  readonly chunkOverlap?: number;
}

/** Returns the chunks of each text, in order, with UTF-16 offsets. */
export type Splitter = (texts: readonly string[]) => Promise<Chunk[][]>;

export function createSplitter(params: SplittingParams, chunkSize: number): Splitter {
  const { client = new Chunksmith(params), chunker = 'recursive', options, chunkOverlap = 0 } = params;
  const overlap = chunkOverlap === 0 ? {} : { chunk_overlap: chunkOverlap };
  const common = { chunk_size: chunkSize, ...overlap, ...options, offset_unit: 'utf16' };
  return async (texts) => {
    const lists: Chunk[][] = [];
    for (let first = 0; first < texts.length; first += AT_ONCE) {
      const request = { ...common, text: texts.slice(first, first + AT_ONCE) };
      lists.push(...(await client.chunk(chunker, request)));
    }
    return lists;
  };
}
