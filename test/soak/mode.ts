import type { Cleanup } from '../support/server.ts';

/** What the caller of a mode may set. */
export interface SoakOptions {
  /** Seconds of load. */
  readonly seconds: number;
  /** Crashes, kills, runs or texts. */
  readonly count: number;
  readonly seed: number;
}

/** A promise, what was found, and whether it was kept. */
export interface Check {
  readonly what: string;
  readonly found: string;
  readonly isKept: boolean;
}

/** What a mode found. */
export interface Report {
  /** Figures that promise nothing. */
  readonly figures: readonly (readonly [what: string, found: string])[];
  readonly checks: readonly Check[];
}

/** A kind of soak test. */
export interface Mode {
  readonly title: string;
  readonly defaults: Omit<SoakOptions, 'seed'>;
  run(t: Cleanup, options: SoakOptions): Promise<Report>;
}

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

/** The value below which the given share of the values is. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
