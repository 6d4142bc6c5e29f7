import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import type { PlainError } from '../../../core/errors.ts';
import type { VectorTotals } from '../answer/response-metadata.ts';
import type { StageList } from '../stages/stages.ts';
import type { Included } from './document-schemas.ts';
import { findId } from './documents.ts';
import type { JsonRange } from './json.ts';

/** What is done with each input of a request, parsed and checked. Plain data. */
export interface Plan extends StageList {
  /** The steps, if a stored pipeline is executed: its chunks have ids, `context` and `embedding`. */
  readonly pipeline?: readonly PipelineStep[];
  readonly include: readonly Included[];
  readonly namespace: string;
  /** Whether the vectors of `embedding` are written as base64, for readers that need no digits. */
  readonly packsVectors?: boolean;
}

/** The first line of a stream: what is done with each of the following lines. Plain data. */
export interface StreamPlan extends Plan {
  /** What a line contains: a document, a list of chunks, or the text of a batch of texts. */
  readonly takes: 'document' | 'chunks' | 'text';
  /**
   * What is written; by default, an answer to each line.
   *
   * - `chunks`, `documents`: only the results of successful lines, one line per chunk or document; the answer's
   *   `outcomes` report on every line.
   * - `lists`: the list of lists that answers a batch, without its brackets; a failing line fails all.
   */
  readonly writes?: 'chunks' | 'documents' | 'lists';
  /** Whether outcomes include the ids of the chunks, if they have any. */
  readonly tellsIds?: boolean;
}

export type LineOutcome = LineHead &
  (
    | ({
        readonly chunks: number;
        readonly ids?: readonly string[];
      } & Partial<VectorTotals>)
    | { readonly error: PlainError }
  );

export interface LineHead {
  readonly index: number;
  /** The caller's id for it, if it has one. */
  readonly id?: string | undefined;
}

export function lineHead(value: unknown, line: Buffer, index: number): LineHead {
  const { id: given } = (value ?? {}) as { readonly id?: unknown };
  const id = findId(given, line, 0);
  return id === undefined ? { index } : { index, id };
}

/** A request as lines: what is done with each of its inputs, and where these are in its body. Plain data. */
export interface Division {
  readonly plan: StreamPlan;
  readonly inputs: readonly JsonRange[];
  readonly isBatch: boolean;
}
