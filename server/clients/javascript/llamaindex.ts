import { NodeParser } from '@llamaindex/core/node-parser';
import { buildNodeFromSplits, type TextNode } from '@llamaindex/core/schema';
import type { Chunk } from './api-types.ts';
import { createSplitter, type Splitter, type SplittingParams } from './splitting.ts';

/** Connection and splitting settings. The default `chunkSize` is 1024, as in LlamaIndex. */
export interface ChunksmithNodeParserParams extends SplittingParams {
  /** Whether each node gets the metadata of its document; default true. */
  readonly includeMetadata?: boolean;
  /** Whether nodes reference the previous and the next node; default true. */
  readonly includePrevNextRel?: boolean;
}

/**
 * A LlamaIndex node parser that uses a service. `startCharIdx` and `endCharIdx` are exact offsets, even if the text
 * of a node occurs several times.
 */
export class ChunksmithNodeParser extends NodeParser<Promise<TextNode[]>> {
  readonly #chunksOf: Splitter;

  constructor(params: ChunksmithNodeParserParams = {}) {
    super();
    this.#chunksOf = createSplitter(params, params.chunkSize ?? 1024);
    this.includeMetadata = params.includeMetadata ?? true;
    this.includePrevNextRel = params.includePrevNextRel ?? true;
  }

  protected override async parseNodes(documents: TextNode[]): Promise<TextNode[]> {
    const lists = await this.#chunksOf(documents.map(({ text }) => text));
    return documents.flatMap((document, index) => this.#nodes(document, lists[index] ?? []));
  }

  /** Passes no documents on. Otherwise LlamaIndex would replace the offsets by searching each text from the start. */
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

/** A replacement for LlamaIndex's splitter of the same name. `chunkSize` is in tokens of `cl100k_base` by default. */
export class SentenceSplitter extends ChunksmithNodeParser {
  constructor({ options, chunkOverlap = 20, ...params }: Omit<ChunksmithNodeParserParams, 'chunker'> = {}) {
    const counted = { tokenizer: 'cl100k_base', ...options };
    super({ ...params, chunkOverlap, chunker: 'sentence', options: counted });
  }
}
