import { Document } from '@langchain/core/documents';
import { TextSplitter, type TextSplitterChunkHeaderOptions } from '@langchain/textsplitters';
import type { Chunk } from './api-types.ts';
import { createSplitter, type Splitter, type SplittingParams } from './splitting.ts';

/** Connection and splitting settings. The default `chunkSize` is 1000, as in LangChain. */
export interface ChunksmithTextSplitterParams extends SplittingParams {
  /** Whether the metadata includes `start_index`: the offset of the chunk in UTF-16 units. Default false. */
  readonly addStartIndex?: boolean;
}

/** A LangChain text splitter that uses a service. Chunks are not trimmed: without overlap, joining gives the text. */
export class ChunksmithTextSplitter extends TextSplitter {
  readonly addStartIndex: boolean;
  readonly #chunksOf: Splitter;

  constructor(params: ChunksmithTextSplitterParams = {}) {
    const { chunkSize = 1000, chunkOverlap = 0, addStartIndex = false } = params;
    super({ chunkSize, chunkOverlap });
    this.addStartIndex = addStartIndex;
    this.#chunksOf = createSplitter(params, chunkSize);
  }

  static override lc_name(): string {
    return 'ChunksmithTextSplitter';
  }

  override async splitText(text: string): Promise<string[]> {
    const [chunks = []] = await this.#chunksOf([text]);
    return chunks.map((chunk) => chunk.text);
  }

  /** Creates one document per chunk, with the metadata of the text and with the chunk's lines as `loc.lines`. */
  override async createDocuments(
    texts: string[],
    metadatas: Document['metadata'][] = [],
    headers: TextSplitterChunkHeaderOptions = {},
  ): Promise<Document[]> {
    const lists = await this.#chunksOf(texts);
    return lists.flatMap((chunks, index) =>
      this.#documents({ text: texts[index] ?? '', metadata: metadatas[index] ?? {} }, chunks, headers),
    );
  }

  #documents(
    { text, metadata }: { readonly text: string; readonly metadata: Document['metadata'] },
    chunks: readonly Chunk[],
    headers: TextSplitterChunkHeaderOptions,
  ): Document[] {
    const { chunkHeader = '', chunkOverlapHeader = "(cont'd) ", appendChunkOverlapHeader = false } = headers;
    let line = 1;
    let counted = 0;
    return chunks.map(({ text: content, start_index }, index) => {
      line += breaksIn(text.slice(counted, start_index));
      counted = start_index;
      const lines = { from: line, to: line + breaksIn(content) };
      const start = this.addStartIndex ? { start_index } : {};
      return new Document({
        pageContent:
          chunkHeader + (appendChunkOverlapHeader && index > 0 ? chunkOverlapHeader : '') + content,
        metadata: { ...metadata, ...start, loc: { ...objectOf(metadata.loc), lines } },
      });
    });
  }
}

/** Parameters of LangChain's `RecursiveCharacterTextSplitter`, and connection settings. */
export interface RecursiveCharacterTextSplitterParams extends Omit<ChunksmithTextSplitterParams, 'chunker'> {
  /** Separators from coarse to fine. Pieces that are too large for all separators are cut between characters. */
  readonly separators?: readonly string[];
}

/**
 * A replacement for LangChain's splitter of the same name. Each separator stays at the end of its chunk, and the
 * default `chunkOverlap` is 200.
 */
export class RecursiveCharacterTextSplitter extends ChunksmithTextSplitter {
  constructor({
    separators,
    options,
    chunkOverlap = 200,
    ...params
  }: RecursiveCharacterTextSplitterParams = {}) {
    for (const name of ['lengthFunction', 'keepSeparator']) {
      if (name in params)
        throw new TypeError(
          `${name}: the service does not support it; \`options.tokenizer\` selects the tokenizer.`,
        );
    }
    const levels = separators?.filter((separator) => separator !== '').map((separator) => [separator]);
    const hierarchy = levels === undefined ? {} : { levels };
    super({ ...params, chunkOverlap, chunker: 'recursive', options: { ...hierarchy, ...options } });
  }

  static override lc_name(): string {
    return 'RecursiveCharacterTextSplitter';
  }
}

function breaksIn(text: string): number {
  return text.split('\n').length - 1;
}

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
