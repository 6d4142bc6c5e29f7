import type { Table } from './table.ts';

/** Adds up rows of a table. The caller fills `rows` and `factors` and says how many there are. */
export interface Pool {
  /** Where rows start in the table's memory, in bytes. As many as `factors`. */
  readonly rows: Uint32Array;
  /** What each row is multiplied with. */
  readonly factors: Float32Array;
  /** What has been added up, one number per dimension; the caller sets it to zero. */
  readonly sums: Float32Array;
  add(count: number): void;
  /** Multiplies the sums, in single precision. */
  scale(factor: number): void;
}

/** Rows that are added at once. */
export const POOL_ROWS = 2048;

/** Adds rows in plain JavaScript, with the same sums to the last bit as in WebAssembly. */
export function createPlainPool({ shape, buffer }: Table): Pool {
  const rows = new Uint32Array(POOL_ROWS);
  const factors = new Float32Array(POOL_ROWS);
  const sums = new Float32Array(shape.dimensions);
  const numbers = shape.isInt8 ? new Int8Array(buffer) : new Float32Array(buffer, 0, buffer.byteLength >> 2);
  const shift = shape.isInt8 ? 0 : 2;
  return {
    rows,
    factors,
    sums,
    add(count) {
      for (let index = 0; index < count; index++) {
        const row = (rows[index] as number) >>> shift;
        const factor = factors[index] as number;
        for (let column = 0; column < sums.length; column++) {
          (sums[column] as number) += Math.fround(factor * (numbers[row + column] as number));
        }
      }
    },
    scale(factor) {
      const rounded = Math.fround(factor);
      for (let column = 0; column < sums.length; column++) (sums[column] as number) *= rounded;
    },
  };
}
