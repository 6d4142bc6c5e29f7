import type { Table } from '../table/table.ts';
import { createAccumulator, MAX_ROWS, type RowAccumulator } from './row-accumulator.ts';

export interface PoolingOptions {
  readonly normalizes: boolean;
  /** Whether `n` occurrences of a token weigh `1 + ln(n)` instead of `n`. */
  readonly dampsRepeats: boolean;
}

export type MeanPooling = (ids: Uint32Array, target: Float32Array, offset: number) => void;

export function createMeanPooling(table: Table, { normalizes, dampsRepeats }: PoolingOptions): MeanPooling {
  const { tokens, unknownId } = table.shape;
  const counter = { counts: new Uint32Array(tokens), distinct: new Uint32Array(tokens) };
  const accumulator = createAccumulator(table);
  const { sums } = accumulator;
  return (ids, target, offset) => {
    sums.fill(0);
    const distinctCount = countTokens(counter, ids, unknownId);
    const total = addRows(table, accumulator, counter, distinctCount, dampsRepeats);
    writeScaled(sums, Math.fround(inverse(normalizes ? lengthOf(sums) : total)), target, offset);
  };
}

interface TokenCounter {
  /** Number of occurrences by token id; all zero between texts. */
  readonly counts: Uint32Array;
  readonly distinct: Uint32Array;
}

/** Counts the tokens that have a row, and returns how many are distinct. */
function countTokens(
  { counts, distinct }: TokenCounter,
  ids: Uint32Array,
  unknownId: number | undefined,
): number {
  let count = 0;
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index] as number;
    if (id >= counts.length || id === unknownId) continue;
    if (counts[id] === 0) distinct[count++] = id;
    (counts[id] as number)++;
  }
  return count;
}

/** Adds the rows of the distinct tokens, resets their counts to zero, and returns the sum of the counts. */
function addRows(
  { rowsStart, stride, weights, mapping }: Table,
  { rows, factors, add }: RowAccumulator,
  { counts, distinct }: TokenCounter,
  distinctCount: number,
  dampsRepeats: boolean,
): number {
  let total = 0;
  let filled = 0;
  for (let index = 0; index < distinctCount; index++) {
    const id = distinct[index] as number;
    const times = dampsRepeats ? damped(counts[id] as number) : (counts[id] as number);
    counts[id] = 0;
    total += times;
    rows[filled] = rowsStart + (mapping ? (mapping[id] as number) : id) * stride;
    factors[filled++] = weights ? times * (weights[id] as number) : times;
    if (filled < MAX_ROWS) continue;
    add(filled);
    filled = 0;
  }
  add(filled);
  return total;
}

const dampedCounts = Float64Array.from({ length: 64 }, (_, times) => 1 + Math.log(times));

/** How much a token or part counts that occurs `times` times. */
export const damped = (times: number): number => dampedCounts[times] ?? 1 + Math.log(times);

/** A vector shorter than this counts as zero: the inverse of its length is too large for single precision. */
const MIN_NORM = 1e-32;

const inverse = (value: number): number => (value < MIN_NORM ? 0 : 1 / value);

function writeScaled(sums: Float32Array, factor: number, target: Float32Array, offset: number): void {
  for (let column = 0; column < sums.length; column++)
    target[offset + column] = (sums[column] as number) * factor;
}

/** Adds the squares to four separate sums, so that no addition waits for the previous one. */
function lengthOf(vector: Float32Array): number {
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  for (let index = 0; index < vector.length; index += 4) {
    const one = vector[index] as number;
    const two = vector[index + 1] ?? 0;
    const three = vector[index + 2] ?? 0;
    const four = vector[index + 3] ?? 0;
    first += one * one;
    second += two * two;
    third += three * three;
    fourth += four * four;
  }
  return Math.sqrt(first + second + third + fourth);
}
