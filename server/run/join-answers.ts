import { ServiceError } from '../../core/errors.ts';
import type { StageTime, Timings } from '../service/timings.ts';
import { release } from '../wire/release.ts';
import type { RunAnswer } from './run-answer.ts';

/**
 * One answer from those to the parts of a batch: lists of lists, one after the other.
 *
 * @param first what was answered when the batch was divided
 * @param limit most bytes
 * @throws ServiceError `answer_too_large`
 */
export function joinAnswers(first: RunAnswer, answers: readonly RunAnswer[], limit: number): RunAnswer {
  const all = [first, ...answers];
  return {
    bytes: joinLists(
      answers.map(({ bytes }) => bytes),
      limit,
    ),
    reported: all.flatMap(({ reported }) => reported),
    timings: joinTimings(all.map(({ timings }) => timings)),
    queueSeconds: first.queueSeconds + Math.max(...answers.map(({ queueSeconds }) => queueSeconds)),
  };
}

const COMMA = 0x2c;

/** The elements of all lists as one list of JSON; the memory of the lists is freed. */
function joinLists(lists: readonly Uint8Array<ArrayBuffer>[], limit: number): Uint8Array<ArrayBuffer> {
  const bytes = lists.reduce((sum, { length }) => sum + length - 1, 1);
  if (bytes > limit) throw new ServiceError('answer_too_large', { bytes, limit });
  const all = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const list of lists) {
    // A comma takes the place of the bracket that ends the list before, and of the one that begins this.
    all.set(list, at);
    if (at > 0) all[at] = COMMA;
    at += list.length - 1;
    release(list);
  }
  return all;
}

function joinTimings(all: readonly Timings[]): Timings {
  const times = new Map<string, StageTime>();
  for (const { stage, by, seconds } of all.flatMap((one) => one.times)) {
    const key = `${stage} ${by}`;
    times.set(key, { stage, by, seconds: seconds + (times.get(key)?.seconds ?? 0) });
  }
  const sum = (of: (one: Timings) => number) => all.reduce((total, one) => total + of(one), 0);
  return {
    times: [...times.values()],
    documents: sum(({ documents }) => documents),
    chunks: sum(({ chunks }) => chunks),
    tokens: sum(({ tokens }) => tokens),
    emptyVectors: sum(({ emptyVectors }) => emptyVectors),
    opened: all.flatMap(({ opened }) => opened),
  };
}
