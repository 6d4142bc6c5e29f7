import type { Chunk } from './api-types.ts';
import { Chunksmith } from './client.ts';
import type { ChunksmithOptions } from './transport.ts';

const AT_ONCE = 100;

/** Parameters of all adapters: connection and splitting settings. */
export interface SplittingParams extends ChunksmithOptions {
  /** A client to use. By default, a client is created from the connection settings. */
  readonly client?: Chunksmith;
  /** Default `recursive`. */
  readonly chunker?: string;
  /** Further options of the chunker, such as `tokenizer`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Maximum size of a chunk, in the unit of the chunker's `tokenizer`. The default depends on the adapter. */
  readonly chunkSize?: number;
  /** Overlap of neighbouring chunks. Default 0, which is not sent because some chunkers have no overlap. */
  readonly chunkOverlap?: number;
}

/** Returns one list of chunks per text, in order. Offsets count UTF-16 units. */
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
