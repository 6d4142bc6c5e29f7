import { setImmediate } from 'node:timers/promises';
import type { Chunk } from '../../../../core/contracts/chunk.ts';
import type { EmbeddingModel, Vectors } from '../../../../core/contracts/embedding.ts';
import type { Tokenizer } from '../../../../core/contracts/tokenizer.ts';
import { brokenPromise } from '../../../../core/engine/chunking.ts';
import { embeddedText } from '../../../../core/engine/cuts/cuts.ts';
import { callPlugin } from '../../../../core/hosting/plugin-error.ts';
import { chunkObjects, type DocumentChunks } from '../../answer/chunk-set.ts';
import { locate } from '../../answer/offsets.ts';
import type { Timer } from '../../answer/response-metadata.ts';
import { atMost } from '../../limits.ts';
import type { Run } from '../../operation.ts';
import type { SourceDocument } from '../../read/documents.ts';
import { placeRefusal } from '../../stages/windows.ts';
import { Bm25 } from './bm25.ts';
import { fuse, LISTED, Nearest, type Ranked } from './ranking.ts';
import type { EvaluationRequest, Question } from './read-evaluation.ts';
import type { Retriever } from './schemas.ts';
import type { Range } from './scores.ts';

/** Number of chunks embedded at a time; their vectors are not kept. */
const BATCH = 1024;
/** Number of chunks whose words are added before other work may run. */
const STRIDE = 256;

export interface IndexedChunk {
  /** Index of the chunk's document in the request. */
  readonly document: number;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
}

/** Tools that the candidates of a request share. */
export interface Tools {
  readonly request: EvaluationRequest;
  readonly run: Run;
  readonly timer: Timer;
  /** Set if a candidate needs vectors. */
  readonly dense: { readonly model: EmbeddingModel; readonly questions: Vectors } | undefined;
  /** Counts the tokens of chunks. If undefined, the tokenizer of each candidate counts them. */
  readonly tokenizer: Tokenizer | undefined;
}

/** Chunks that questions search by vectors, by words, or by both. */
export class ChunkIndex {
  readonly chunks: IndexedChunk[] = [];
  /** Ranges of the chunks in the concatenated documents. */
  readonly ranges: Range[] = [];
  readonly #tools: Tools;
  readonly #words: Bm25 | undefined;
  #nearest: Nearest | undefined;
  /** Error of the embedding model, if the index can still be searched by words. */
  #failure: unknown;
  #texts: string[] = [];

  /** @param retrievers retrievers that will search the index */
  constructor(tools: Tools, retrievers: ReadonlySet<Retriever>) {
    const { request, dense } = tools;
    const { k, budget } = request.options;
    this.#tools = tools;
    const isHybrid = retrievers.has('hybrid');
    const most = isHybrid || budget !== undefined ? LISTED : k;
    if (dense !== undefined && (isHybrid || retrievers.has('dense')))
      this.#nearest = new Nearest(dense.questions, request.questions.length, most);
    if (isHybrid || retrievers.has('bm25')) this.#words = new Bm25();
  }

  /**
   * Adds the chunks of a document, whose index in the request is `at`.
   *
   * @throws ServiceError `invalid_parameters` if there are too many chunks; errors of the model and the
   *   tokenizer
   */
  async add(made: DocumentChunks, at: number): Promise<void> {
    const { request, run } = this.#tools;
    const { embed, offset_unit: unit } = request.options;
    const source = request.documents[at] as SourceDocument;
    const from = request.starts[at] as number;
    const points = locate(source.json, made.spans, 'code_point');
    const shown = unit === 'code_point' ? points : locate(source.json, made.spans, unit);
    const objects = chunkObjects(source, made);
    const count = this.chunks.length + objects.length;
    atMost(run.limits, 'maxChunks', { place: 'chunks', unit: 'chunks', count });
    const tokens = await this.#countTokens(objects);
    for (const [index, { text, context }] of objects.entries()) {
      this.#texts.push(embed === 'text' ? text : embeddedText(text, context));
      this.chunks.push({
        document: at,
        start_index: shown.start[index] as number,
        end_index: shown.end[index] as number,
        token_count: tokens[index] as number,
      });
      const start = from + (points.start[index] as number);
      const end = from + (points.end[index] as number);
      this.ranges.push({ start, end });
      if (this.#texts.length === BATCH) await this.flush();
    }
  }

  /** Makes the remaining chunks searchable. Call it after the last `add`. */
  async flush(): Promise<void> {
    const texts = this.#texts;
    if (texts.length === 0) return;
    this.#texts = [];
    const { run, timer } = this.#tools;
    const words = this.#words;
    try {
      if (this.#nearest !== undefined) await this.#embed(texts, this.#nearest);
    } catch (error) {
      run.signal.throwIfAborted();
      if (words === undefined) throw error;
      this.#nearest = undefined;
      this.#failure = error;
    }
    if (words === undefined) return;
    await timer.time('search', 'bm25', async () => {
      for (const [at, text] of texts.entries()) {
        if (at % STRIDE === 0) await setImmediate();
        run.signal.throwIfAborted();
        words.add(text);
      }
    });
  }

  /** The model's error, if this retriever needs the vectors that the model failed to make. */
  failureOf(retriever: Retriever): unknown {
    return retriever === 'bm25' ? undefined : this.#failure;
  }

  /**
   * The best chunks for a question: at least as many chunks as the answer needs.
   *
   * @param retriever a retriever given to the constructor, without a failure
   */
  search(question: number, retriever: Retriever): Ranked[] {
    const { text } = this.#tools.request.questions[question] as Question;
    const nearest = retriever === 'bm25' ? [] : (this.#nearest?.of(question) ?? []);
    if (retriever === 'dense') return nearest;
    const worded = this.#words?.search(text, LISTED) ?? [];
    return retriever === 'hybrid' ? fuse([nearest, worded]) : worded;
  }

  async #embed(texts: readonly string[], nearest: Nearest): Promise<void> {
    const { dense, timer, run } = this.#tools;
    const { signal } = run;
    const { model, questions } = dense as NonNullable<typeof dense>;
    const plugin = { manifest: { kind: 'embedding', name: model.name } } as const;
    const first = this.chunks.length - texts.length;
    const embed = () => model.embed(texts, { purpose: 'document', signal });
    const vectors = await callPlugin(plugin, () =>
      embed().catch((error: unknown) => {
        throw placeRefusal(error, 'chunks', first);
      }),
    );
    if (vectors.dimensions !== questions.dimensions) {
      const reason = `vectors of ${questions.dimensions} and of ${vectors.dimensions} numbers`;
      throw brokenPromise(plugin.manifest, reason);
    }
    await timer.time('search', model.name, () => nearest.add(vectors, texts.length, signal));
  }

  /** Tokens of the texts of chunks, without their contexts. */
  async #countTokens(chunks: readonly Chunk[]): Promise<readonly number[]> {
    const { tokenizer, timer, run } = this.#tools;
    if (tokenizer === undefined) return chunks.map(({ token_count }) => token_count);
    const { name } = tokenizer;
    const count = () =>
      chunks.map(({ text }) => {
        run.signal.throwIfAborted();
        return tokenizer.tokenize(text).count(0, text.length);
      });
    const plugin = { manifest: { kind: 'tokenizer', name } } as const;
    return callPlugin(plugin, () => timer.time('tokenize', name, count));
  }
}
