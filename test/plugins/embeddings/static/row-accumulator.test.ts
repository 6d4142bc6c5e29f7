import t from 'tap';
import {
  createPlainAccumulator,
  MAX_ROWS,
  type RowAccumulator,
} from '../../../../plugins/embeddings/static/pooling/row-accumulator.ts';
import { createWasmAccumulator } from '../../../../plugins/embeddings/static/pooling/wasm-row-accumulator.ts';
import { createTable, type Table, viewTable } from '../../../../plugins/embeddings/static/table/table.ts';

const ROWS = 300;

t.test('WebAssembly and plain JavaScript give the same sums to the last bit', async (t) => {
  for (const isInt8 of [true, false]) {
    for (const dimensions of [1, 3, 4, 7, 16, 63, 64, 65, 100, 256, 512, 1000, 8192]) {
      const table = createRandomTable(dimensions, isInt8);
      const wasm = createWasmAccumulator(table);
      if (wasm === undefined) throw new Error('no WebAssembly');
      t.same(
        sumsOf(wasm, table),
        sumsOf(createPlainAccumulator(table), table),
        `${dimensions}, int8 ${isInt8}`,
      );
    }
  }
});

t.test('a table that is in no memory of WebAssembly is read in plain JavaScript', async (t) => {
  const { memory, shape } = createRandomTable(20, true);
  if (memory instanceof SharedArrayBuffer) throw new Error('no WebAssembly');
  const copy = viewTable(memory.buffer.slice(0));
  t.same(copy.shape, shape);
  t.equal(createWasmAccumulator(copy), undefined);
  t.ok(sumsOf(createPlainAccumulator(copy), copy).some((sum) => sum !== 0));
});

function sumsOf(accumulator: RowAccumulator, { rowsStart, stride }: Table): Float32Array {
  for (let index = 0; index < MAX_ROWS; index++) {
    accumulator.rows[index] = rowsStart + ((index * 7919) % ROWS) * stride;
    accumulator.factors[index] = ((index * 31) % 97) / 7;
  }
  accumulator.sums.fill(0);
  for (const count of [MAX_ROWS, 0, 1, 5]) accumulator.add(count);
  accumulator.scale(0.123456789);
  return accumulator.sums.slice();
}

function createRandomTable(dimensions: number, isInt8: boolean): Table {
  const shape = { rows: ROWS, dimensions, isInt8, tokens: ROWS, unknownId: 3 };
  const table = createTable({ ...shape, hasWeights: false, hasMapping: false });
  const numbers = isInt8
    ? new Int8Array(table.buffer, table.rowsStart)
    : new Float32Array(table.buffer, table.rowsStart);
  for (let index = 0; index < numbers.length; index++) numbers[index] = Math.random() * 255 - 128;
  return table;
}
