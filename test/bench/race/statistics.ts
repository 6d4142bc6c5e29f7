/** A middle and its range. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** The ratios of the rounds that both took part in. */
export function ratioOf(values: readonly number[], others: readonly number[]): Spread {
  const rounds = Math.min(values.length, others.length);
  return spreadOf(Array.from({ length: rounds }, (_, at) => (values[at] as number) / (others[at] as number)));
}

/** The median; for an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = rising(values);
  const [low, high] = [sorted.length - 1, sorted.length].map((twice) => sorted[twice >> 1] ?? Number.NaN);
  return ((low as number) + (high as number)) / 2;
}

/** The value that a share of the values does not exceed; NaN if there are none. */
export function quantile(values: readonly number[], share: number): number {
  return rising(values)[Math.ceil(share * values.length) - 1] ?? Number.NaN;
}

function rising(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}
