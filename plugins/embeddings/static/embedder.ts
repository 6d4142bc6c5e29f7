import { createPlainPool, POOL_ROWS } from './pool.ts';
import type { Table } from './table.ts';
import { createWasmPool } from './wasm-pool.ts';

/** How tokens become a vector. */
export interface Pooling {
  readonly normalizes: boolean;
  readonly dampsRepeats: boolean;
}

/** Writes the vector of a text's tokens into `target` from `offset` on. */
export type Embedder = (ids: Uint32Array, target: Float32Array, offset: number) => void;

/** Means of the rows of tokens. Each distinct token is added once, by how often it occurs. */
export function createEmbedder(table: Table, { normalizes, dampsRepeats }: Pooling): Embedder {
  const { shape, rowsStart, stride, weights, mapping } = table;
  const pool = createWasmPool(table) ?? createPlainPool(table);
  const counts = new Uint32Array(shape.tokens);
  const distinct = new Uint32Array(shape.tokens);

  /** Counts the tokens that have a row and gives how many distinct ones there are. */
  function count(ids: Uint32Array): number {
    let found = 0;
    for (let index = 0; index < ids.length; index++) {
      const id = ids[index] as number;
      if (id >= shape.tokens || id === shape.unknownId) continue;
      if (counts[id] === 0) distinct[found++] = id;
      (counts[id] as number)++;
    }
    return found;
  }

  /** Adds the rows of the distinct tokens, forgets their counts, and gives the sum of those. */
  function addUp(found: number): number {
    let total = 0;
    let filled = 0;
    for (let index = 0; index < found; index++) {
      const id = distinct[index] as number;
      const times = dampsRepeats ? 1 + Math.log(counts[id] as number) : (counts[id] as number);
      counts[id] = 0;
      total += times;
      pool.rows[filled] = rowsStart + (mapping ? (mapping[id] as number) : id) * stride;
      pool.factors[filled++] = weights ? times * (weights[id] as number) : times;
      if (filled < POOL_ROWS) continue;
      pool.add(filled);
      filled = 0;
    }
    pool.add(filled);
    return total;
  }

  return (ids, target, offset) => {
    const { sums } = pool;
    sums.fill(0);
    const total = addUp(count(ids));
    pool.scale(inverse(normalizes ? lengthOf(sums) : total));
    target.set(sums, offset);
  };
}

/** Lengths under this are taken for zero: their inverse is too large for single precision. */
const LEAST_LENGTH = 1e-32;

const inverse = (value: number): number => (value < LEAST_LENGTH ? 0 : 1 / value);

/** Sums every fourth square by itself, so that no addition waits for the one before it. */
function lengthOf(vector: Float32Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
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
