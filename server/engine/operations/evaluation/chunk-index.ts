import type { OffsetUnit } from '../../../../core/contracts/chunk.ts';
import type { EmbeddingModel, Vectors } from '../../../../core/contracts/embedding.ts';
import { brokenPromise } from '../../../../core/engine/chunking.ts';
import { embeddedText } from '../../../../core/engine/cuts/cuts.ts';
import { callPlugin } from '../../../../core/hosting/plugin-error.ts';
import { locate } from '../../answer/locate.ts';
import type { Timer } from '../../answer/response-metadata.ts';
import { atMost, type Limits } from '../../limits.ts';
import type { SourceDocument } from '../../read/documents.ts';
import { chunkObjects, type DocumentChunks } from '../../stages/chunk-set.ts';
import { Nearest } from './nearest.ts';
import type { Range } from './ranges.ts';
import type { Embedded } from './schemas.ts';

/** Chunks that are embedded at a time; their vectors are not kept. */
const BATCH = 1024;

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

/** What the chunks of every candidate are embedded with and compared to. */
export interface IndexTools {
  readonly model: EmbeddingModel;
  /** The vectors of the questions. */
  readonly questions: { readonly vectors: Vectors; readonly count: number };
  readonly k: number;
  readonly embed: Embedded;
  /** The unit of the chunk offsets in the answer. */
  readonly unit: OffsetUnit;
  readonly timer: Timer;
  readonly limits: Pick<Limits, 'maxChunks'>;
  readonly signal: AbortSignal;
}

/** The chunks of one candidate, keeping those nearest to each question. */
export class ChunkIndex {
  readonly chunks: IndexedChunk[] = [];
  readonly nearest: Nearest;
  readonly #tools: IndexTools;
  #texts: string[] = [];

  constructor(tools: IndexTools) {
    const { questions, k } = tools;
    this.#tools = tools;
    this.nearest = new Nearest(questions.vectors, questions.count, k);
  }

  /**
   * Adds the chunks of a document.
   *
   * @param at the index of the document in the request
   * @param from where it begins among all documents
   * @throws ServiceError `invalid_parameters` if there are too many; the model's errors
   */
  async add(source: SourceDocument, made: DocumentChunks, at: number, from: number): Promise<void> {
    const { embed, unit, limits } = this.#tools;
    const points = locate(source.json, made.spans, 'code_point');
    const shown = unit === 'code_point' ? points : locate(source.json, made.spans, unit);
    const objects = chunkObjects(source, made);
    const count = this.chunks.length + objects.length;
    atMost(limits, 'maxChunks', { place: 'chunks', unit: 'chunks', count });
    for (const [index, { text, context, token_count }] of objects.entries()) {
      this.#texts.push(embed === 'text' ? text : embeddedText(text, context));
      this.chunks.push({
        document: at,
        start_index: shown.start[index] as number,
        end_index: shown.end[index] as number,
        token_count,
        range: { start: from + (points.start[index] as number), end: from + (points.end[index] as number) },
      });
      if (this.#texts.length === BATCH) await this.flush();
    }
  }

  /** Embeds the remaining chunks. Call it after all have been added. */
  async flush(): Promise<void> {
    const texts = this.#texts;
    if (texts.length === 0) return;
    this.#texts = [];
    const { model, questions, timer, signal } = this.#tools;
    const { name } = model;
    const plugin = { manifest: { kind: 'embedding', name } } as const;
    const vectors = await callPlugin(plugin, () => model.embed(texts, { purpose: 'document', signal }));
    if (vectors.dimensions !== questions.vectors.dimensions) {
      const reason = `vectors of ${questions.vectors.dimensions} and of ${vectors.dimensions} numbers`;
      throw brokenPromise(plugin.manifest, reason);
    }
    await timer.time('search', name, () => this.nearest.add(vectors, texts.length, signal));
  }
}
