import { performance } from 'node:perf_hooks';

/** A function that runs against others. */
export interface Candidate {
  readonly name: string;
  /** Whether it is this project's own: the ratio compares it with the best of the others. */
  readonly isOurs?: boolean;
  run(): unknown;
}

export interface Result {
  readonly name: string;
  readonly isOurs: boolean;
  /** Milliseconds of each round, in rising order; empty if a round failed. */
  readonly times: readonly number[];
  readonly failure?: string;
}

export interface RaceLimits {
  readonly rounds?: number;
  readonly warmUps?: number;
  /** Milliseconds after which a slow candidate sits out the rounds that are left; it has at least two. */
  readonly budget?: number;
}

/**
 * Runs the candidates by turns, one round each, so that other load on the machine slows all of them alike.
 * Garbage is collected before every sample, and may be collected during one.
 */
export async function race(candidates: readonly Candidate[], limits: RaceLimits = {}): Promise<Result[]> {
  const { rounds = 7, warmUps = 2, budget = 15_000 } = limits;
  const entries = candidates.map((candidate) => ({
    candidate,
    times: [] as number[],
    spent: 0,
    failure: '',
  }));
  for (let round = -warmUps; round < rounds; round++) {
    for (const entry of entries) {
      const isSlow = entry.spent > budget && (round < 0 || entry.times.length >= 2);
      if (entry.failure !== '' || isSlow) continue;
      try {
        const ms = await sample(entry.candidate);
        entry.spent += Math.max(ms, SAMPLE_MS);
        if (round >= 0) entry.times.push(ms);
      } catch (error) {
        entry.failure = String(error).slice(0, 100);
      }
    }
  }
  return entries.map(({ candidate, times, failure }) =>
    resultOf(candidate, failure === '' ? times : [], failure),
  );
}

export function resultOf(
  { name, isOurs = false }: Omit<Candidate, 'run'>,
  times: readonly number[],
  failure = '',
): Result {
  return { name, isOurs, times: rising(times), ...(failure === '' ? {} : { failure }) };
}

/** A sample takes at least this many milliseconds. */
const SAMPLE_MS = 100;
/** A run of more milliseconds is its own sample: compiling again after a collection hardly shows in it. */
const LONG_MS = 1000;

/**
 * Milliseconds of one run. A forced collection also drops compiled code that only garbage referred to, so
 * the first run is not measured. Short runs are repeated, as they are in a busy server.
 */
async function sample(candidate: Candidate): Promise<number> {
  globalThis.gc?.();
  const settling = await timed(candidate);
  if (settling > LONG_MS) return settling;
  let runs = 0;
  let spent = 0;
  while (spent < SAMPLE_MS) {
    spent += await timed(candidate);
    runs++;
  }
  return spent / runs;
}

async function timed(candidate: Candidate): Promise<number> {
  const start = performance.now();
  await candidate.run();
  return performance.now() - start;
}

/** The median; for an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = rising(values);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  if (sorted.length % 2 === 1) return sorted[middle] as number;
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

export function rising(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}
