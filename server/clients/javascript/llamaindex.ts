import { NodeParser } from '@llamaindex/core/node-parser';
import { buildNodeFromSplits, type TextNode } from '@llamaindex/core/schema';
import type { Chunk } from './api-types.ts';
import { Chunksmith } from './client.ts';
import type { ChunksmithOptions } from './settings.ts';

/** Documents of one request. */
const AT_ONCE = 100;

/** Where the service is, and how it splits. */
export interface ChunksmithNodeParserParams extends ChunksmithOptions {
  /** A client to use, instead of one that is made of the options. */
  readonly client?: Chunksmith;
  /** `recursive` by default. */
  readonly chunker?: string;
  /** Further options of the chunker, such as its `tokenizer`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Most tokens of a chunk: 1024 by default, as in LlamaIndex. */
  readonly chunkSize?: number;
  /** Sent if it is not 0, for chunkers that have it: 0 by default. */
  readonly chunkOverlap?: number;
  /** Whether nodes have the metadata of their document: true by default. */
  readonly includeMetadata?: boolean;
  /** Whether nodes name those before and after them: true by default. */
  readonly includePrevNextRel?: boolean;
}

/**
 * A node parser of LlamaIndex whose nodes a service makes. `startCharIdx` and `endCharIdx` are their exact places, also of
 * a text that stands twice.
 */
export class ChunksmithNodeParser extends NodeParser<Promise<TextNode[]>> {
  readonly #client: Chunksmith;
  readonly #chunker: string;
  readonly #options: Readonly<Record<string, unknown>>;

  constructor(params: ChunksmithNodeParserParams = {}) {
    super();
    const { chunkSize = 1024, chunkOverlap = 0 } = params;
    this.#client = params.client ?? new Chunksmith(params);
    this.#chunker = params.chunker ?? 'recursive';
    const overlap = chunkOverlap === 0 ? {} : { chunk_overlap: chunkOverlap };
    this.#options = { chunk_size: chunkSize, ...overlap, ...params.options };
    this.includeMetadata = params.includeMetadata ?? true;
    this.includePrevNextRel = params.includePrevNextRel ?? true;
  }

  protected override async parseNodes(documents: TextNode[]): Promise<TextNode[]> {
    const nodes: TextNode[] = [];
    for (let first = 0; first < documents.length; first += AT_ONCE) {
      const some = documents.slice(first, first + AT_ONCE);
      const request = { ...this.#options, text: some.map(({ text }) => text), offset_unit: 'utf16' };
      const lists: Chunk[][] = await this.#client.chunk(this.#chunker, request);
      for (const [place, document] of some.entries())
        nodes.push(...this.#nodes(document, lists[place] ?? []));
    }
    return nodes;
  }

  /** The places and the metadata of nodes are there already: LlamaIndex would search each text from the beginning. */
  protected override postProcessParsedNodes(nodes: TextNode[]): TextNode[] {
    return super.postProcessParsedNodes(nodes, new Map());
  }

  #nodes(document: TextNode, chunks: readonly Chunk[]): TextNode[] {
    const nodes = buildNodeFromSplits(
      chunks.map(({ text }) => text),
      document,
    );
    for (const [index, { start_index, end_index }] of chunks.entries()) {
      const node = nodes[index];
      if (node === undefined) continue;
      node.startCharIdx = start_index;
      node.endCharIdx = end_index;
      if (this.includeMetadata) node.metadata = { ...node.metadata, ...document.metadata };
    }
    return nodes;
  }
}

/** In place of LlamaIndex's splitter of this name: sentences, counted in tokens of `cl100k_base`. */
export class SentenceSplitter extends ChunksmithNodeParser {
  constructor({ options, chunkOverlap = 20, ...params }: Omit<ChunksmithNodeParserParams, 'chunker'> = {}) {
    const counted = { tokenizer: 'cl100k_base', ...options };
    super({ ...params, chunkOverlap, chunker: 'sentence', options: counted });
  }
}
