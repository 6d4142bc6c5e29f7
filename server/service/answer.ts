import type { PlainError } from '../../core/errors.ts';
import type { Reported } from './response-metadata.ts';
import type { LineOutcome } from './stream-plan.ts';
import type { Timings } from './timings.ts';

/** The answer to a task. */
export interface Answer {
  /** JSON in UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What the plugins reported about each document. */
  readonly reported: readonly Reported[];
  readonly timings: Timings;
  /** What failed of an answer and did not fail all of it; the answer says so. */
  readonly failures?: readonly PlainError[];
  /** What came of each line of a stream, if its plan asks for more than answers, or of each document for a sink. */
  readonly outcomes?: readonly LineOutcome[];
  /** The requests that a batch was divided into, if its task asked for that; `bytes` is empty then. */
  readonly parts?: readonly Uint8Array<ArrayBuffer>[];
}

/** Takes parts of an answer as soon as they are there: whole lines of JSON. */
export type OnPart = (bytes: Uint8Array<ArrayBuffer>) => void;
