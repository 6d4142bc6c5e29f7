import {
  createPlainAccumulator,
  type RowAccumulator,
} from '../../../plugins/embeddings/static/pooling/row-accumulator.ts';
import { createWasmAccumulator } from '../../../plugins/embeddings/static/pooling/wasm-row-accumulator.ts';
import { createTable, type Table } from '../../../plugins/embeddings/static/table/table.ts';
import { createRandom } from '../data/random.ts';
import { median, race } from '../race/race.ts';
import { number, printTable, printTitle } from '../race/report.ts';

const ROWS = 30_000;
const TOKENS = 1_000;

/** Adds up rows of tables of random numbers: vector instructions of WebAssembly against plain typed arrays. */
printTitle(`Adding up ${TOKENS} rows of a table of ${ROWS}, one thread, in ns per row`);
const random = createRandom(1);
const rows: string[][] = [];
for (const isInt8 of [true, false]) {
  for (const dimensions of [256, 512]) rows.push(await measure(createRandomTable(dimensions, isInt8)));
}
printTable('', ['', 'WebAssembly', 'own fallback', 'plain loop', 'ratio to the plain loop'], rows);

async function measure(table: Table): Promise<string[]> {
  const { dimensions, isInt8 } = table.shape;
  const wasm = createWasmAccumulator(table);
  if (wasm === undefined) throw new Error('there is no WebAssembly here');
  const candidates = [
    { name: 'WebAssembly', isOurs: true, run: prepare(wasm, table) },
    { name: 'own fallback', run: prepare(createPlainAccumulator(table), table) },
    { name: 'plain loop', run: preparePlainLoop(table) },
  ];
  const results = await race(candidates, { rounds: 9 });
  const [ours, fallback, plain] = results.map(({ times }) => median(times)) as [number, number, number];
  const perRow = (ms: number): string => number((ms * 1e6) / TOKENS);
  const name = `${dimensions} dimensions, ${isInt8 ? 'int8' : 'float32'}`;
  return [name, perRow(ours), perRow(fallback), perRow(plain), `${number(plain / ours)}x`];
}

function prepare(accumulator: RowAccumulator, { rowsStart, stride }: Table): () => void {
  for (let index = 0; index < TOKENS; index++) {
    accumulator.rows[index] = rowsStart + randomRow() * stride;
    accumulator.factors[index] = random() + 0.5;
  }
  return () => {
    accumulator.sums.fill(0);
    accumulator.add(TOKENS);
  };
}

/** The first thing one would write: it does not round, and the table is not shared between threads. */
function preparePlainLoop({ shape, buffer, rowsStart }: Table): () => void {
  const { rows, dimensions, isInt8 } = shape;
  const numbers = isInt8
    ? new Int8Array(buffer, rowsStart, rows * dimensions).slice()
    : new Float32Array(buffer, rowsStart, rows * dimensions).slice();
  const ids = Uint32Array.from({ length: TOKENS }, randomRow);
  const factors = Float32Array.from(ids, () => random() + 0.5);
  const sums = new Float32Array(dimensions);
  return () => {
    sums.fill(0);
    for (let index = 0; index < TOKENS; index++) {
      const row = (ids[index] as number) * dimensions;
      const factor = factors[index] as number;
      for (let column = 0; column < dimensions; column++) {
        sums[column] = (sums[column] as number) + factor * (numbers[row + column] as number);
      }
    }
  };
}

function createRandomTable(dimensions: number, isInt8: boolean): Table {
  const shape = { rows: ROWS, dimensions, isInt8, tokens: ROWS, unknownId: undefined };
  const table = createTable({ ...shape, hasWeights: false, hasMapping: false });
  const numbers = isInt8
    ? new Int8Array(table.buffer, table.rowsStart)
    : new Float32Array(table.buffer, table.rowsStart);
  for (let index = 0; index < numbers.length; index++) numbers[index] = random() * 255 - 128;
  return table;
}

function randomRow(): number {
  return Math.floor(random() * ROWS);
}
