import type { OffsetUnit } from '../../../../core/contracts/chunk.ts';
import type { SourceDocument } from '../../read/documents.ts';
import type { StageList } from '../../stages/stages.ts';
import type { AnyRequest } from '../../tasks.ts';
import type { Range } from './ranges.ts';
import type { Embedded } from './schemas.ts';

/**
 * A request to evaluate, parsed and checked. Plain data. Its ranges count code points over all documents, as if they
 * were concatenated.
 */
export interface EvaluationRequest extends AnyRequest {
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
}

export interface Question {
  readonly text: string;
  /** United ranges, with at least one character. */
  readonly answer: readonly Range[];
}

/** A way to chunk the documents. */
export interface Candidate extends StageList {
  readonly name: string;
  /** The first earlier candidate that does the same, if any. */
  readonly sameAs: number | undefined;
}
