import { scaled } from '../flags.ts';

/** What runs against others: a function, or another process that gives the milliseconds of a run. */
export type Candidate = {
  readonly name: string;
  /** Whether it is this project's own: the others are compared with it. */
  readonly isOurs?: boolean;
} & ({ run(): unknown } | { sample(): Promise<number> });

export interface Result {
  readonly name: string;
  readonly isOurs?: boolean;
  /** Milliseconds of each round; empty if a round failed. */
  readonly times: readonly number[];
  readonly failure?: string | undefined;
}

export interface RaceLimits {
  readonly rounds?: number;
  readonly warmUps?: number;
  /** Milliseconds after which a slow candidate sits out the rounds that are left; it has at least two. */
  readonly budget?: number;
  /** What milliseconds are of: by default the processor time of this process. */
  readonly clock?: Clock;
}

type Clock = () => number;

/** Processor time of this process, with its threads that collect garbage and compile. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export const wallMs: Clock = () => performance.now();

/**
 * Runs the candidates by turns, one round each, so that other load on the machine slows all of them alike.
 * Garbage is collected before every sample, and may be collected during one.
 */
export async function race(candidates: readonly Candidate[], limits: RaceLimits = {}): Promise<Result[]> {
  const { rounds = 7, warmUps = scaled(2, 1), budget = 15_000, clock = processorMs } = limits;
  const most = scaled(rounds, Math.min(rounds, 3));
  const enough = budget / scaled(1, 4);
  const entries = candidates.map((candidate) => ({
    candidate,
    times: [] as number[],
    spent: 0,
    failure: undefined as string | undefined,
  }));
  for (let round = -warmUps; round < most; round++) {
    for (const entry of entries) {
      const isSlow = entry.spent > enough && (round < 0 || entry.times.length >= 2);
      if (entry.failure !== undefined || isSlow) continue;
      try {
        const { candidate } = entry;
        const ms = await ('sample' in candidate ? candidate.sample() : sample(candidate.run, clock));
        entry.spent += Math.max(ms, SAMPLE_MS);
        if (round >= 0) entry.times.push(ms);
      } catch (error) {
        entry.failure = String(error).slice(0, 100);
      }
    }
  }
  return entries.map(({ candidate, times, failure }) => ({
    ...candidate,
    times: failure === undefined ? times : [],
    failure,
  }));
}

/** A sample takes at least this many milliseconds. */
const SAMPLE_MS = 100;
/** A run of more milliseconds is its own sample: compiling again after a collection hardly shows in it. */
const LONG_MS = 1000;

/**
 * Milliseconds of one run. A forced collection also drops compiled code that only garbage referred to, so
 * the first run is not measured. Short runs are repeated, as they are in a busy server.
 */
async function sample(run: () => unknown, clock: Clock): Promise<number> {
  globalThis.gc?.();
  const settling = await timed(run, clock);
  if (settling > LONG_MS) return settling;
  let runs = 0;
  let spent = 0;
  for (; spent < SAMPLE_MS; runs++) spent += await timed(run, clock);
  return spent / runs;
}

/** Milliseconds that something takes. */
export async function timed(run: () => unknown, clock = wallMs): Promise<number> {
  const start = clock();
  await run();
  return clock() - start;
}
