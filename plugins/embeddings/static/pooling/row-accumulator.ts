import type { Table } from '../table/table.ts';

/** Adds up weighted rows of a table. The caller fills `rows` and `factors`, then passes how many it has filled. */
export interface RowAccumulator {
  /** Where each row starts in the table's memory, in bytes. Has `MAX_ROWS` elements. */
  readonly rows: Uint32Array;
  /** The factor of each row. Has `MAX_ROWS` elements. */
  readonly factors: Float32Array;
  /** The sums so far, one per dimension. The caller sets them to zero. */
  readonly sums: Float32Array;
  /** Adds the first `count` rows to the sums. */
  add(count: number): void;
}

/** Maximum rows of one call of `add`. */
export const MAX_ROWS = 2048;

/** Adds rows in plain JavaScript. The sums are bit-identical to those of WebAssembly. */
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
  };
}
