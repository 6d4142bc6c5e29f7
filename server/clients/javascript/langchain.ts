import { Document } from '@langchain/core/documents';
import { TextSplitter, type TextSplitterChunkHeaderOptions } from '@langchain/textsplitters';
import type { Chunk } from './api-types.ts';
import { Chunksmith } from './client.ts';
import type { ChunksmithOptions } from './settings.ts';

/** Texts of one request. */
const AT_ONCE = 100;

/** Where the service is, and how it splits. What is not given is as LangChain has it. */
export interface ChunksmithTextSplitterParams extends ChunksmithOptions {
  /** A client to use, instead of one that is made of the options. */
  readonly client?: Chunksmith;
  /** `recursive` by default. */
  readonly chunker?: string;
  /** Further options of the chunker, such as its `tokenizer`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Most tokens of a chunk, characters unless `options` names a tokenizer: 1000 by default. */
  readonly chunkSize?: number;
  /** Sent if it is not 0, for chunkers that have it: 0 by default. */
  readonly chunkOverlap?: number;
  /** Whether the metadata of documents have `start_index`, the place in the text in UTF-16 units. */
  readonly addStartIndex?: boolean;
}

/** A text splitter of LangChain whose chunks a service makes: nothing is trimmed, and joined they are the text. */
export class ChunksmithTextSplitter extends TextSplitter {
  readonly addStartIndex: boolean;
  readonly #client: Chunksmith;
  readonly #chunker: string;
  readonly #options: Readonly<Record<string, unknown>>;

  constructor(params: ChunksmithTextSplitterParams = {}) {
    const { chunkSize = 1000, chunkOverlap = 0, options, addStartIndex = false, client } = params;
    super({ chunkSize, chunkOverlap });
    this.addStartIndex = addStartIndex;
    this.#client = client ?? new Chunksmith(params);
    this.#chunker = params.chunker ?? 'recursive';
    const overlap = chunkOverlap === 0 ? {} : { chunk_overlap: chunkOverlap };
    this.#options = { chunk_size: chunkSize, ...overlap, ...options };
  }

  static override lc_name(): string {
    return 'ChunksmithTextSplitter';
  }

  override async splitText(text: string): Promise<string[]> {
    const [chunks = []] = await this.#chunks([text]);
    return chunks.map((chunk) => chunk.text);
  }

  /** A document for each chunk, with the metadata of its text and `loc.lines` added. */
  override async createDocuments(
    texts: string[],
    metadatas: Document['metadata'][] = [],
    headers: TextSplitterChunkHeaderOptions = {},
  ): Promise<Document[]> {
    const documents: Document[] = [];
    for (let first = 0; first < texts.length; first += AT_ONCE) {
      const some = texts.slice(first, first + AT_ONCE);
      for (const [place, chunks] of (await this.#chunks(some)).entries()) {
        const given = { text: some[place] ?? '', metadata: metadatas[first + place] ?? {} };
        documents.push(...this.#documents(given, chunks, headers));
      }
    }
    return documents;
  }

  #chunks(text: string[]): Promise<Chunk[][]> {
    return this.#client.chunk(this.#chunker, { ...this.#options, text, offset_unit: 'utf16' });
  }

  #documents(
    { text, metadata }: { readonly text: string; readonly metadata: Document['metadata'] },
    chunks: readonly Chunk[],
    headers: TextSplitterChunkHeaderOptions,
  ): Document[] {
    const { chunkHeader = '', chunkOverlapHeader = "(cont'd) ", appendChunkOverlapHeader = false } = headers;
    let [line, counted] = [1, 0];
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

/** What LangChain takes for its own splitter of this name, and where the service is. */
export interface RecursiveCharacterTextSplitterParams extends Omit<ChunksmithTextSplitterParams, 'chunker'> {
  /** From the coarsest to the finest. What is too large for the last one is cut between characters. */
  readonly separators?: readonly string[];
}

/** In place of LangChain's splitter of this name: separators stay at the end of chunks, and 200 characters overlap by default. */
export class RecursiveCharacterTextSplitter extends ChunksmithTextSplitter {
  constructor({
    separators,
    options,
    chunkOverlap = 200,
    ...params
  }: RecursiveCharacterTextSplitterParams = {}) {
    for (const name of ['lengthFunction', 'keepSeparator']) {
      if (name in params)
        throw new TypeError(`${name}: the service has it not; \`options.tokenizer\` says what counts.`);
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
