import t from 'tap';
import {
  createPlainAccumulator,
  createWasmAccumulator,
  MAX_ROWS,
  type RowAccumulator,
} from '../../../../plugins/embeddings/static/pooling/row-accumulator.ts';
import { createTable, type Table, viewTable } from '../../../../plugins/embeddings/static/table/table.ts';
import { never } from '../../../support/hosted-host.ts';
import {
  createProviderWithFolder,
  filesOf,
  openModel,
  safetensors,
  tensor,
  WORDS,
} from './support/models.ts';

const request = { purpose: 'similarity', signal: never } as const;

/** Texts with the ids that the tokenizer gives, without the unknown token. */
const TEXTS: Readonly<Record<string, readonly number[]>> = {
  red: [1],
  'Red green blue': [1, 2, 3],
  'red red red green, redish': [1, 1, 1, 2, 1, 6],
  'black purple white': [4, 5],
  '': [],
  purple: [],
  grey: [7],
};

const DIMENSIONS = 5;

/** Numbers that every type can hold exactly. */
const ROWS = WORDS.map((_, row) =>
  Array.from({ length: DIMENSIONS }, (_, column) => ((row * 7 + column * 3) % 11) - 5),
);
const WEIGHTS = WORDS.map((_, id) => (id + 2) / 8);
const MAPPING = WORDS.map((_, id) => (id * 3) % 4);

const RECIPES = [
  {},
  { normalize: true },
  { weights: WEIGHTS },
  { mapping: MAPPING, normalize: true },
  { weights: WEIGHTS, mapping: MAPPING },
  { weights: WEIGHTS, damped: true },
  { weights: WEIGHTS, mapping: MAPPING, damped: true, normalize: true },
];
type Recipe = (typeof RECIPES)[number];

/** The vectors of the texts by the definition, token after token, in double precision. */
function computePlainly({ normalize = false, damped = false, weights, mapping }: Recipe): number[][] {
  return Object.values(TEXTS).map((ids) => {
    const sums = Array<number>(DIMENSIONS).fill(0);
    let total = 0;
    for (const id of ids) {
      const occurrences = ids.filter((other) => other === id).length;
      const share = damped ? (1 + Math.log(occurrences)) / occurrences : 1;
      total += share;
      const row = ROWS[mapping?.[id] ?? id] ?? [];
      row.forEach((value, column) => {
        (sums[column] as number) += share * value * (weights?.[id] ?? 1);
      });
    }
    const length = normalize ? Math.hypot(...sums) : total;
    return sums.map((sum) => (length === 0 ? 0 : sum / length));
  });
}

function isClose(actual: Float32Array, expected: readonly number[][]): boolean {
  return expected.flat().every((value, index) => Math.abs((actual[index] as number) - value) < 1e-6);
}

t.test('vectors are those of the definition, for all types of numbers and ways of pooling', async (t) => {
  const { provider, add } = await createProviderWithFolder(t);
  for (const dtype of ['I8', 'F16', 'BF16', 'F32', 'F64']) {
    for (const [index, recipe] of RECIPES.entries()) {
      const name = `made/${dtype}-${index}`;
      const { normalize = false, damped = false, weights, mapping } = recipe;
      const tokens = [WORDS.length];
      const file = safetensors({
        ...(weights ? { weights: tensor(dtype === 'F64' ? 'F64' : 'F32', tokens, weights) } : {}),
        ...(mapping ? { mapping: tensor(index % 2 ? 'I64' : 'I32', tokens, mapping) } : {}),
        embeddings: tensor(dtype, [WORDS.length, DIMENSIONS], ROWS.flat()),
      });
      await add(name, filesOf(file, { normalize, ...(damped && { pooling: { repeats: 'log' } }) }));
      const model = await openModel(provider, name);
      const { dimensions, values } = await model.embed(Object.keys(TEXTS), request);
      t.equal(dimensions, DIMENSIONS);
      t.ok(isClose(values, computePlainly(recipe)), `${dtype} ${JSON.stringify(recipe)}`);
      t.equal(model.calibrate, undefined);
      await model.close?.();
    }
  }
});

const TABLE_ROWS = 300;

t.test('WebAssembly and plain JavaScript give the same sums to the last bit', async (t) => {
  for (const isInt8 of [true, false]) {
    for (const dimensions of [1, 3, 4, 7, 16, 63, 64, 65, 256, 1000]) {
      const table = createRandomTable(dimensions, isInt8);
      const wasm = createWasmAccumulator(table);
      if (wasm === undefined) throw new Error('no WebAssembly');
      const plain = sumsOf(createPlainAccumulator(table), table);
      t.same(sumsOf(wasm, table), plain, `${dimensions}, int8 ${isInt8}`);
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
    accumulator.rows[index] = rowsStart + ((index * 7919) % TABLE_ROWS) * stride;
    accumulator.factors[index] = ((index * 31) % 97) / 7;
  }
  accumulator.sums.fill(0);
  for (const count of [MAX_ROWS, 0, 1, 5]) accumulator.add(count);
  return accumulator.sums.slice();
}

function createRandomTable(dimensions: number, isInt8: boolean): Table {
  const shape = { rows: TABLE_ROWS, dimensions, isInt8, tokens: TABLE_ROWS, unknownId: 3 };
  const table = createTable({ ...shape, hasWeights: false, hasMapping: false });
  const Numbers = isInt8 ? Int8Array<ArrayBufferLike> : Float32Array<ArrayBufferLike>;
  const numbers = new Numbers(table.buffer, table.rowsStart);
  for (let index = 0; index < numbers.length; index++) numbers[index] = Math.random() * 255 - 128;
  return table;
}
