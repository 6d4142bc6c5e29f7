/** What a list of neighbours is divided by. */
export interface RunLimits {
  /** The sizes of the single neighbours; that of several together may differ a little from their sum. */
  readonly sizes: readonly number[];
  readonly most: number;
  /** Whether the neighbours from `start` to `end` together are at most `most`, exactly. */
  fits(start: number, end: number): boolean;
}

/**
 * Divides a list into runs, from the first on, each as long as it fits and of one at least.
 *
 * @returns the end of each run, rising
 */
export function endsOfRuns({ sizes, most, fits }: RunLimits): number[] {
  const ends: number[] = [];
  for (let start = 0; start < sizes.length; ) {
    const from = start;
    const isAlone = (sizes[from] ?? 0) > most;
    const length = isAlone
      ? 1
      : longest(sizes.length - from, guess(sizes, from, most), (count) => fits(from, from + count));
    start += length;
    ends.push(start);
  }
  return ends;
}

/** How many fit by the sum of their sizes. */
function guess(sizes: readonly number[], start: number, most: number): number {
  let [end, sum] = [start, 0];
  while (end < sizes.length && sum + (sizes[end] ?? 0) <= most) sum += sizes[end++] ?? 0;
  return end - start;
}

/**
 * The largest number from 1 to `most` that fits, if all below it do. It asks around the guess, with growing steps, so that
 * a good guess costs two questions.
 */
function longest(most: number, guessed: number, fits: (count: number) => boolean): number {
  let [good, bad] = [1, most + 1];
  let at = Math.min(Math.max(guessed, 2), most);
  for (let step = 1; good + 1 < bad; step *= 2) {
    if (fits(at)) good = at;
    else bad = at;
    if (bad > most) at = Math.min(good + step, most);
    else if (good === 1) at = Math.max(bad - step, 2);
    else at = (good + bad) >> 1;
  }
  return good;
}
