import { setImmediate } from 'node:timers/promises';

const RESAMPLES = 2_000;
/** Resamples between two checks of the signal. */
const STRIDE = 50;
/** Two-sided 95 % quantile of the normal distribution. */
export const NORMAL = 1.959964;

/** Scores by candidate: one number for each question. */
export type ScoreTable = readonly Float64Array[];
export type Interval = readonly [low: number, high: number];

/**
 * Resamples the questions many times, with replacement. All candidates share the draws, so that their
 * differences are paired: a hard question is hard for all.
 *
 * @param seed the same seed gives the same draws on every machine
 * @returns the mean of each candidate in each resample
 * @throws the signal's reason once it aborts
 */
export async function resampledMeans(
  scores: ScoreTable,
  seed: number,
  signal: AbortSignal,
): Promise<Float64Array[]> {
  const questions = scores[0]?.length ?? 0;
  const means = scores.map(() => new Float64Array(RESAMPLES));
  const drawn = new Int32Array(questions);
  const next = randomFrom(seed);
  for (let round = 0; round < RESAMPLES; round++) {
    if (round % STRIDE === 0) await setImmediate();
    signal.throwIfAborted();
    for (let at = 0; at < questions; at++) drawn[at] = next() * questions;
    for (const [candidate, own] of scores.entries()) {
      let sum = 0;
      for (let at = 0; at < questions; at++) sum += own[drawn[at] as number] as number;
      (means[candidate] as Float64Array)[round] = sum / questions;
    }
  }
  return means;
}

/**
 * The 95 % interval of a mean, by percentiles of its resamples. For few questions, percentiles give too narrow an
 * interval, so it is widened.
 *
 * @param questions number of questions in the mean
 * @param range lowest and highest possible mean
 */
export function intervalOf(
  mean: number,
  resampled: Float64Array,
  questions: number,
  [least, most]: Interval,
): Interval {
  const sorted = resampled.toSorted();
  const edge = (share: number) => {
    const off = (sorted[Math.round(share * (sorted.length - 1))] as number) - mean;
    return Math.min(most, Math.max(least, mean + (off === 0 ? 0 : off * wideningOf(questions))));
  };
  return questions < 2 ? [least, most] : [edge(0.025), edge(0.975)];
}

/** Factor that widens an interval, for Student's t and for the degree of freedom that resampling ignores. */
export function wideningOf(questions: number): number {
  const z = NORMAL;
  const freedom = questions - 1;
  // The Cornish-Fisher expansion of Student's t.
  const t =
    z +
    (z ** 3 + z) / (4 * freedom) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * freedom ** 3);
  return (t / z) * Math.sqrt(questions / freedom);
}

export function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function deviationOf(values: Float64Array): number {
  const mean = meanOf(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

/** The generator mulberry32, with numbers in [0, 1). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
