import type { PoolingMode } from './files.ts';

/** Vectors of the tokens of a batch: for each text `tokens` vectors of `dimensions` numbers. */
export interface TokenVectors {
  readonly values: Float32Array;
  readonly tokens: number;
  readonly dimensions: number;
}

/** Writes the vector of one text into `target`, which is zero. Tokens from `length` on are padding. */
export function poolTokens(
  { values, tokens, dimensions }: TokenVectors,
  text: number,
  length: number,
  mode: PoolingMode,
  target: Float32Array,
): void {
  const start = text * tokens * dimensions;
  const row = (token: number) =>
    values.subarray(start + token * dimensions, start + (token + 1) * dimensions);
  if (length === 0) return;
  if (mode === 'cls') target.set(row(0));
  else if (mode === 'last') target.set(row(length - 1));
  else if (mode === 'max') poolMax(row, length, target);
  else poolMean(row, length, target);
}

type Row = (token: number) => Float32Array;

function poolMean(row: Row, length: number, target: Float32Array): void {
  for (let token = 0; token < length; token++) {
    const vector = row(token);
    for (let at = 0; at < target.length; at++)
      target[at] = (target[at] as number) + (vector[at] as number) / length;
  }
}

function poolMax(row: Row, length: number, target: Float32Array): void {
  target.set(row(0));
  for (let token = 1; token < length; token++) {
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
