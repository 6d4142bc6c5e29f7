/** UTF-16 code units between two checkpoints. A query sums at most this many units at each end of a stretch. */
const STEP = 64;

/**
 * Creates a function that computes sums over stretches `[start, end)` of a text. Each query takes constant time,
 * because the sum up to each checkpoint is computed only once.
 *
 * @param length UTF-16 code units of the text
 * @param sumOf computes the sum of a stretch; the value of a code unit must not depend on the stretch
 */
export function createRunningTotal(
  length: number,
  sumOf: (start: number, end: number) => number,
): (start: number, end: number) => number {
  let checkpoints: Uint32Array | undefined;
  const before = (offset: number): number => {
    checkpoints ??= addUp(length, sumOf);
    const checkpoint = Math.floor(offset / STEP);
    return (checkpoints[checkpoint] as number) + sumOf(checkpoint * STEP, offset);
  };
  return (start, end) => (end - start <= STEP ? sumOf(start, end) : before(end) - before(start));
}

function addUp(length: number, sumOf: (start: number, end: number) => number): Uint32Array {
  const checkpoints = new Uint32Array(Math.floor(length / STEP) + 1);
  for (let checkpoint = 1; checkpoint < checkpoints.length; checkpoint++) {
    const before = checkpoints[checkpoint - 1] as number;
    checkpoints[checkpoint] = before + sumOf((checkpoint - 1) * STEP, checkpoint * STEP);
  }
  return checkpoints;
}

/** The UTF-16 units of a text. A typed array is faster to read than a string. */
export function utf16Units(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, 'utf16le');
  return units;
}
