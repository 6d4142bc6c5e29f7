import type { PoolingMode } from './files.ts';

/** Vectors of the tokens of a batch: for each text `tokens` vectors of `dimensions` numbers. */
export interface TokenVectors {
  readonly values: Float32Array;
  readonly tokens: number;
  readonly dimensions: number;
}

/** The tokens of a text that the mean and the largest are taken of; those from `end` on are padding. */
export interface TokenRange {
  readonly first: number;
  readonly end: number;
}

/** Writes the vector of one text into `target`, which is zero. */
export function poolTokens(
  { values, tokens, dimensions }: TokenVectors,
  text: number,
  { first, end }: TokenRange,
  mode: PoolingMode,
  target: Float32Array,
): void {
  const start = text * tokens * dimensions;
  const row = (token: number) =>
    values.subarray(start + token * dimensions, start + (token + 1) * dimensions);
  if (end === 0) return;
  // A prompt that fills the whole length leaves its last token, so that there is something to pool.
  const from = Math.min(first, end - 1);
  if (mode === 'cls') target.set(row(0));
  else if (mode === 'last') target.set(row(end - 1));
  else if (mode === 'max') poolMax(row, from, end, target);
  else poolMean(row, from, end, target);
}

type Row = (token: number) => Float32Array;

function poolMean(row: Row, first: number, end: number, target: Float32Array): void {
  const length = end - first;
  for (let token = first; token < end; token++) {
    const vector = row(token);
    for (let at = 0; at < target.length; at++)
      target[at] = (target[at] as number) + (vector[at] as number) / length;
  }
}

function poolMax(row: Row, first: number, end: number, target: Float32Array): void {
  target.set(row(first));
  for (let token = first + 1; token < end; token++) {
    const vector = row(token);
    for (let at = 0; at < target.length; at++)
      target[at] = Math.max(target[at] as number, vector[at] as number);
  }
}

/** Scales a vector to length 1; a zero vector stays as it is. */
export function normalize(vector: Float32Array): void {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (sum === 0) return;
  const scale = 1 / Math.sqrt(sum);
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] as number) * scale;
}
