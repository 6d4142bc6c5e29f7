import type { PlainError } from '../../core/errors.ts';
import type { Reported } from './response-metadata.ts';
import type { Division, LineOutcome } from './stream-plan.ts';
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
  /** The batch as lines, if that was asked for. */
  readonly division?: Division;
  /** Stored pipelines that the request names and its task does not have. */
  readonly unknownPipelines?: readonly string[];
  /** The bytes of the request, if it goes on with them: `bytes` is empty then. */
  readonly body?: Uint8Array<ArrayBuffer>;
}

/** Takes parts of an answer as soon as they are there: whole lines of JSON. */
export type OnPart = (bytes: Uint8Array<ArrayBuffer>) => void;
