import { toPlainError } from '../../core/errors.ts';
import { errorLine } from '../service/lines.ts';
import type { Reported } from '../service/response-metadata.ts';
import { type LineHead, type LineOutcome, lineHead, type StreamPlan } from '../service/stream-plan.ts';
import type { Line } from './line-reader.ts';

/** What came of some lines, in their order. */
export interface LineAnswers {
  /** Whole lines: answers, or what the plan has written instead. */
  readonly bytes: Uint8Array;
  /** What came of each line, if the plan writes something else than answers. */
  readonly outcomes: readonly LineOutcome[];
  /** What the plugins reported about each input of a batch. */
  readonly reported: readonly Reported[];
}

/** The answers one after the other. */
export function joined(answers: readonly LineAnswers[]): LineAnswers {
  return {
    bytes: Buffer.concat(answers.map(({ bytes }) => bytes)),
    outcomes: answers.flatMap(({ outcomes }) => outcomes),
    reported: answers.flatMap(({ reported }) => reported),
  };
}

/** What comes of a line that failed. */
export function failedLine({ writes }: StreamPlan, head: LineHead, error: unknown): LineAnswers {
  if (writes === undefined) return { bytes: errorLine(head, error), outcomes: [], reported: [] };
  return { bytes: NOTHING, outcomes: [{ ...head, error: toPlainError(error) }], reported: [] };
}

const NOTHING = Buffer.alloc(0);

/** The head of the answer to a line that was not read, with its id if it can be read. */
export function headOf(line: Line, index: number): LineHead {
  try {
    return Buffer.isBuffer(line) ? lineHead(JSON.parse(line.toString()), line, index) : { index };
  } catch {
    return { index };
  }
}
