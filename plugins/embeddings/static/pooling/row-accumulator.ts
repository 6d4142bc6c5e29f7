import type { Table } from '../table/table.ts';

/** Adds up weighted rows of a table. The caller fills `rows` and `factors`, then says how many it has filled. */
export interface RowAccumulator {
  /** Where each row starts in the table's memory, in bytes. Has `MAX_ROWS` places. */
  readonly rows: Uint32Array;
  /** What each row is multiplied by. Has `MAX_ROWS` places. */
  readonly factors: Float32Array;
  /** The sums so far, one per dimension. The caller sets them to zero. */
  readonly sums: Float32Array;
  /** Adds the first `count` rows to the sums. */
  add(count: number): void;
  /** Multiplies the sums, in single precision. */
  scale(factor: number): void;
}

/** Most rows that one call of `add` takes. */
export const MAX_ROWS = 2048;

/** Adds rows in plain JavaScript. Its sums are those of WebAssembly to the last bit. */
export function createPlainAccumulator({ shape, buffer }: Table): RowAccumulator {
  const rows = new Uint32Array(MAX_ROWS);
  const factors = new Float32Array(MAX_ROWS);
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
