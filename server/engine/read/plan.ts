import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import type { PlainError } from '../../../core/errors.ts';
import type { Totals } from '../answer/response-metadata.ts';
import type { StageList } from '../stages/stages.ts';
import type { Included } from './document-schemas.ts';
import { findId } from './documents.ts';
import type { JsonRange } from './json.ts';

/** How to process each input of a request, parsed and checked. Plain data. */
export interface Plan extends StageList {
  /** The steps, if a pipeline is executed. Its chunks always have ids, `context` and `embedding`. */
  readonly pipeline?: readonly PipelineStep[];
  readonly include: readonly Included[];
  readonly namespace: string;
  /** Whether the vectors of `embedding` are written as base64. */
  readonly packsVectors?: boolean;
}

/** The first line of a stream: the plan for all further lines. Plain data. */
export interface StreamPlan extends Plan {
  /** The content of a line: a document, a list of chunks, or one text of a batch. */
  readonly takes: 'document' | 'chunks' | 'text';
  /**
   * The output; by default, an answer to each line.
   *
   * - `chunks`, `documents`: only the results of successful lines, one line per chunk or document; the answer's
   *   `outcomes` report on every line
   * - `lists`: the list of lists that answers a batch, without its brackets; a failing line fails all lines
   */
  readonly writes?: 'chunks' | 'documents' | 'lists';
  /** Whether outcomes include the ids of chunks, if the chunks have ids. */
  readonly tellsIds?: boolean;
}

export type LineOutcome = LineHead &
  (
    | ({
        readonly chunks: number;
        readonly ids?: readonly string[];
      } & Partial<Totals>)
    | { readonly error: PlainError }
  );

export interface LineHead {
  readonly index: number;
  readonly id?: string | undefined;
}

export function lineHead(value: unknown, line: Buffer, index: number): LineHead {
  const { id: given } = (value ?? {}) as { readonly id?: unknown };
  const id = findId(given, line, 0);
  return id === undefined ? { index } : { index, id };
}

/** A request divided into lines: the plan for its inputs, and the position of each input in its body. Plain data. */
export interface Division {
  readonly plan: StreamPlan;
  readonly inputs: readonly JsonRange[];
  readonly isBatch: boolean;
}
