import { setImmediate } from 'node:timers/promises';
import type { Chunk, OffsetUnit } from '../../../../core/contracts/chunk.ts';
import type { EmbeddingModel, Vectors } from '../../../../core/contracts/embedding.ts';
import type { Tokenizer } from '../../../../core/contracts/tokenizer.ts';
import { brokenPromise } from '../../../../core/engine/chunking.ts';
import { embeddedText } from '../../../../core/engine/cuts/cuts.ts';
import { callPlugin } from '../../../../core/hosting/plugin-error.ts';
import { locate } from '../../answer/locate.ts';
import type { Timer } from '../../answer/response-metadata.ts';
import { atMost, type Limits } from '../../limits.ts';
import type { SourceDocument } from '../../read/documents.ts';
import { chunkObjects, type DocumentChunks } from '../../stages/chunk-set.ts';
import { Bm25 } from './bm25.ts';
import { Nearest } from './nearest.ts';
import type { Range } from './ranges.ts';
import { fuse, LISTED, type Ranked } from './ranking.ts';
import type { Embedded, Retriever } from './schemas.ts';

/** Chunks that are embedded at a time; their vectors are not kept. */
const BATCH = 1024;
/** Chunks whose words are added before other work may run. */
const STRIDE = 256;

/** A searchable chunk, with its fields for the answer. */
export interface IndexedChunk {
  /** The index of its document in the request. */
  readonly document: number;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
  /** Its range among all documents. */
  readonly range: Range;
}

/** What the chunks of every candidate are searched with. */
export interface IndexTools {
  /** Given if a candidate needs vectors. */
  readonly dense: { readonly model: EmbeddingModel; readonly questions: Vectors } | undefined;
  /** What counts the tokens of chunks, if not the tokenizers of the candidates. */
  readonly tokenizer: Tokenizer | undefined;
  readonly questions: readonly string[];
  /** How many chunks a question finds at most. */
  readonly most: number;
  readonly embed: Embedded;
  /** The unit of the chunk offsets in the answer. */
  readonly unit: OffsetUnit;
  readonly timer: Timer;
  readonly limits: Pick<Limits, 'maxChunks'>;
  readonly signal: AbortSignal;
}

/** Chunks that questions are searched in, by vectors, by words, or by both. */
export class ChunkIndex {
  readonly chunks: IndexedChunk[] = [];
  readonly #tools: IndexTools;
  readonly #words: Bm25 | undefined;
  #nearest: Nearest | undefined;
  /** Why there are no vectors, if words can still be searched. */
  #failure: unknown;
  #texts: string[] = [];

  /** @param retrievers that will search it */
  constructor(tools: IndexTools, retrievers: ReadonlySet<Retriever>) {
    const { dense, questions, most } = tools;
    this.#tools = tools;
    const isHybrid = retrievers.has('hybrid');
    if (dense !== undefined && (isHybrid || retrievers.has('dense')))
      this.#nearest = new Nearest(dense.questions, questions.length, isHybrid ? LISTED : most);
    if (isHybrid || retrievers.has('bm25')) this.#words = new Bm25();
  }

  /**
   * Adds the chunks of a document.
   *
   * @param at the index of the document in the request
   * @param from where it begins among all documents
   * @throws ServiceError `invalid_parameters` if there are too many; errors of the model and the tokenizer
   */
  async add(source: SourceDocument, made: DocumentChunks, at: number, from: number): Promise<void> {
    const { embed, unit, limits } = this.#tools;
    const points = locate(source.json, made.spans, 'code_point');
    const shown = unit === 'code_point' ? points : locate(source.json, made.spans, unit);
    const objects = chunkObjects(source, made);
    const count = this.chunks.length + objects.length;
    atMost(limits, 'maxChunks', { place: 'chunks', unit: 'chunks', count });
    const tokens = await this.#countTokens(objects);
    for (const [index, { text, context }] of objects.entries()) {
      this.#texts.push(embed === 'text' ? text : embeddedText(text, context));
      this.chunks.push({
        document: at,
        start_index: shown.start[index] as number,
        end_index: shown.end[index] as number,
        token_count: tokens[index] as number,
        range: { start: from + (points.start[index] as number), end: from + (points.end[index] as number) },
      });
      if (this.#texts.length === BATCH) await this.flush();
    }
  }

  /** Makes the remaining chunks searchable. Call it after all have been added. */
  async flush(): Promise<void> {
    const texts = this.#texts;
    if (texts.length === 0) return;
    this.#texts = [];
    const { timer, signal } = this.#tools;
    const words = this.#words;
    try {
      if (this.#nearest !== undefined) await this.#embed(texts, this.#nearest);
    } catch (error) {
      signal.throwIfAborted();
      if (words === undefined) throw error;
      this.#nearest = undefined;
      this.#failure = error;
    }
    if (words === undefined) return;
    await timer.time('search', 'bm25', async () => {
      for (const [at, text] of texts.entries()) {
        if (at % STRIDE === 0) await setImmediate();
        signal.throwIfAborted();
        words.add(text);
      }
    });
  }

  /**
   * The best chunks for a question, as many as are to be found or more.
   *
   * @param retriever one of the constructor's
   * @throws ServiceError the model's errors
   */
  search(question: number, retriever: Retriever): Ranked[] {
    if (retriever !== 'bm25' && this.#failure !== undefined) throw this.#failure;
    const nearest = () => this.#nearest?.of(question) ?? [];
    const worded = () => this.#words?.search(this.#tools.questions[question] as string, LISTED) ?? [];
    if (retriever === 'hybrid') return fuse([nearest(), worded()]);
    return retriever === 'dense' ? nearest() : worded();
  }

  async #embed(texts: readonly string[], nearest: Nearest): Promise<void> {
    const { dense, timer, signal } = this.#tools;
    const { model, questions } = dense as NonNullable<typeof dense>;
    const { name } = model;
    const plugin = { manifest: { kind: 'embedding', name } } as const;
    const vectors = await callPlugin(plugin, () => model.embed(texts, { purpose: 'document', signal }));
    if (vectors.dimensions !== questions.dimensions) {
      const reason = `vectors of ${questions.dimensions} and of ${vectors.dimensions} numbers`;
      throw brokenPromise(plugin.manifest, reason);
    }
    await timer.time('search', name, () => nearest.add(vectors, texts.length, signal));
  }

  /** Tokens of the texts of chunks, without their contexts. */
  async #countTokens(chunks: readonly Chunk[]): Promise<readonly number[]> {
    const { tokenizer, timer, signal } = this.#tools;
    if (tokenizer === undefined) return chunks.map(({ token_count }) => token_count);
    const { name } = tokenizer;
    const count = () =>
      chunks.map(({ text }) => {
        signal.throwIfAborted();
        return tokenizer.tokenize(text).count(0, text.length);
      });
    const plugin = { manifest: { kind: 'tokenizer', name } } as const;
    return callPlugin(plugin, () => timer.time('tokenize', name, count));
  }
}
