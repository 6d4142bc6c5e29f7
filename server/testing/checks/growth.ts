import { isLacking, thrownIn } from '../ledger.ts';
import { type CheckResult, leftOut, ok, resultOf } from './result.ts';
import type { Subject } from './subject.ts';
import { type Work, workOf } from './work.ts';

const FIRST = 2000;
const LONGEST = 128_000;
/** Milliseconds of processor time from which a measurement says something. */
const ENOUGH = 300;
const TIMES = 16;
/** Linear work takes TIMES as long for TIMES the text, quadratic work the square of it. */
const MOST_GROWTH = TIMES * 3;
const TRIES = 3;

const PROMISE = 'its work grows with the length of the text, and not with its square';
const REMEDY =
  'Look for work on the whole text within a loop over it: a slice, an indexOf, or a regular expression that is tried at each place.';

const THROWS = 'Mend what the other checks say first; if they are kept, look at what a long text changes.';

/** Whether twice the text takes twice the work, on texts that have made others quadratic. */
export async function checkGrowth(subject: Subject): Promise<CheckResult> {
  const { kind } = subject.entry.manifest;
  if (kind === 'sink') return leftOut('growth', 'what it stores in decides it');
  try {
    const works = await workOf(subject);
    for (const work of works) {
      const where = await firstGrowth(work, subject);
      if (where !== undefined) return resultOf('growth', [{ promise: PROMISE, where, remedy: REMEDY }]);
    }
    return ok('growth', `${works.length} kinds of texts, of up to ${LONGEST} characters`);
  } catch (error) {
    if (isLacking(error)) return leftOut('growth', error.message);
    const where = thrownIn(error, subject.folder);
    return resultOf('growth', [{ promise: 'it answers long texts', where, remedy: THROWS }]);
  }
}

/** Doubles the text until its work can be measured, and compares that with the work of a small part of the text. */
async function firstGrowth({ what, prepare }: Work, { suite }: Subject): Promise<string | undefined> {
  const costOf = async (length: number) => {
    suite.onCase?.({ text: what, length });
    return cost(await prepare(length));
  };
  let length = FIRST;
  let large = await costOf(length);
  while (large < ENOUGH && length < LONGEST) {
    length *= 2;
    large = await costOf(length);
  }
  if (large < ENOUGH) return undefined;
  const part = length / TIMES;
  let small = Number.POSITIVE_INFINITY;
  // A busy machine, and code that is not yet compiled, can only add to a time.
  for (let tried = 0; tried < TRIES; tried++) {
    for (let run = 0; run < TRIES; run++) small = Math.min(small, await costOf(part));
    if (large / small < MOST_GROWTH) return undefined;
    large = Math.min(large, await costOf(length));
  }
  if (large / small < MOST_GROWTH) return undefined;
  return `${what}: ${part} characters take ${small.toFixed(2)} ms of processor time, ${length} take ${large.toFixed(0)} ms`;
}

/** Milliseconds of processor time that this thread takes. */
async function cost(work: () => unknown): Promise<number> {
  const start = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}
