import type { OffsetUnit } from '../../../core/contracts/chunk.ts';
import type { SourceDocument } from '../documents.ts';
import type { StageRequest } from '../stages.ts';
import type { Range } from './ranges.ts';
import type { Embedded } from './schemas.ts';

/**
 * A request to evaluate that was read and checked. Plain data. Its ranges count code points over all documents, as if each
 * stood behind the one before it.
 */
export interface EvaluationRequest {
  readonly run: 'evaluate';
  readonly documents: readonly SourceDocument[];
  /** Where each document begins. */
  readonly starts: readonly number[];
  readonly questions: readonly Question[];
  readonly candidates: readonly Candidate[];
  readonly options: {
    readonly k: number;
    readonly embedding_model: string;
    readonly embed: Embedded;
    readonly offset_unit: OffsetUnit;
  };
  /** Seconds that it took to read the request. */
  readonly parseSeconds: number;
}

export interface Question {
  readonly text: string;
  /** United ranges, with at least one character. */
  readonly answer: readonly Range[];
}

/** A way to chunk the documents. */
export interface Candidate {
  readonly name: string;
  readonly stages: readonly StageRequest[];
  /** The first candidate that does the same, if there is one before it. */
  readonly sameAs: number | undefined;
}
