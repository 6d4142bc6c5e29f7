import { PAGE_BYTES, type Table, webAssembly } from '../table/table.ts';
import * as wasm from './wasm-code.ts';

/** Adds up weighted rows of a table. The caller fills `rows` and `factors`, and passes the number of rows. */
export interface RowAccumulator {
  /** Byte offsets of the rows in the table's memory; has `MAX_ROWS` elements. */
  readonly rows: Uint32Array;
  readonly factors: Float32Array;
  /** Running sums, one per dimension. The caller resets them to zero. */
  readonly sums: Float32Array;
  add(count: number): void;
}

export const MAX_ROWS = 2048;

export const createAccumulator = (table: Table): RowAccumulator =>
  createWasmAccumulator(table) ?? createPlainAccumulator(table);

/** Adds rows in plain JavaScript. The sums are bit-identical to those of the WebAssembly version. */
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

/** Number of rows that are added in one pass over the sums, which saves loads and stores of the sums. */
const ROWS = 4;

/** Maximum number of WebAssembly vectors (four sums each) that are updated at a time. */
const MAX_SUMS = 4;

const VECTOR_BYTES = 16;

/** Byte offsets of the factors and sums in the thread's own memory; `rows` begins at 0. */
const FACTORS_START = 4 * MAX_ROWS;
const SUMS_START = 8 * MAX_ROWS;

/** Indexes of the two imported memories. */
const TABLE = 0;
const OWN = 1;

/**
 * Adds rows with vector instructions of WebAssembly. All threads share the first memory, the table. The
 * second memory belongs to the thread and contains `rows`, `factors` and `sums`. Returns `undefined` if
 * WebAssembly cannot read the table.
 */
export function createWasmAccumulator({ shape, memory }: Table): RowAccumulator | undefined {
  if (webAssembly === undefined || memory instanceof SharedArrayBuffer) return undefined;
  const vectors = Math.ceil(shape.dimensions / 4);
  // A row of bytes is padded to a multiple of 16 values, which are `MAX_SUMS` vectors of sums.
  const step = shape.isInt8 || vectors % MAX_SUMS === 0 ? MAX_SUMS : 1;
  const sumBytes = Math.ceil(vectors / step) * step * VECTOR_BYTES;
  const pages = Math.ceil((SUMS_START + sumBytes) / PAGE_BYTES);
  const own = new webAssembly.Memory({ initial: pages });
  const tablePages = memory.buffer.byteLength / PAGE_BYTES;
  try {
    const module = new webAssembly.Module(
      createModule(createAdd(shape.isInt8, step, sumBytes), tablePages, pages),
    );
    const instance = new webAssembly.Instance(module, { memory: { table: memory, own } });
    const { add } = instance.exports as { add(rowBytes: number): void };
    return {
      rows: new Uint32Array(own.buffer, 0, MAX_ROWS),
      factors: new Float32Array(own.buffer, FACTORS_START, MAX_ROWS),
      sums: new Float32Array(own.buffer, SUMS_START, shape.dimensions),
      add: (count) => add(4 * count),
    };
  } catch {
    // This WebAssembly lacks an instruction that the code needs.
    return undefined;
  }
}

/** Builds a module. Its export `add(rowBytes)` adds the first `rowBytes / 4` rows. */
function createModule(body: wasm.Code, tablePages: number, pages: number): Uint8Array {
  const { code, name, section, unsigned } = wasm;
  const tableLimits = code(unsigned(tablePages), unsigned(tablePages));
  const add = code(ADD_LOCALS, body, wasm.END);
  return Uint8Array.from([
    ...Buffer.from('\0asm'),
    ...[1, 0, 0, 0],
    ...section(wasm.TYPES, 1, ...TAKES_I32),
    ...section(
      wasm.IMPORTS,
      2,
      ...code(name('memory'), name('table'), [2, 3], tableLimits),
      ...code(name('memory'), name('own'), [2, 0], unsigned(pages)),
    ),
    ...section(wasm.FUNCTIONS, 1, 0),
    ...section(wasm.EXPORTS, 1, ...name('add'), 0, 0),
    ...section(wasm.CODE, 1, ...unsigned(add.length), ...add),
  ]);
}

const TAKES_I32 = [0x60, 1, wasm.I32, 0];

/** Local variables of `add`, its argument first. Each row of a pass has an address and a factor. */
const ROW_BYTES = 0;
const AT = 1;
/** Byte offset of the sums that are being updated. */
const SUMS = 2;
const FIRST_ROW = 3;
const FIRST_FACTOR = FIRST_ROW + ROWS;
const BYTES = FIRST_FACTOR + ROWS;
const FIRST_INDEXES = BYTES + 1;
const FIRST_SUM = FIRST_INDEXES + MAX_SUMS;

const ADD_LOCALS = [2, 2 + ROWS, wasm.I32, ROWS + 1 + 2 * MAX_SUMS, wasm.V128];

/**
 * Each byte of a row becomes the highest byte of an integer, so its value is multiplied by this number. The
 * row's factor is divided by this number, which is exact for factors of at least 2 ** -102.
 */
const MAX_FACTOR = 2 ** 24;
/** A swizzle index that yields the byte 0. */
const NONE = 0x80;

/**
 * Creates the body of `add`. Rows are read from start to end, as caches expect, and summed in their order.
 *
 * @param step how many vectors of sums are updated at a time
 * @param sumBytes bytes of all sums; a multiple of the bytes of `step` vectors
 */
function createAdd(isInt8: boolean, step: number, sumBytes: number): number[] {
  const addWhile = (rows: number) => {
    const hasRows = wasm.code(
      wasm.code(wasm.get(AT), wasm.constant(4 * (rows - 1)), wasm.ADD),
      wasm.code(wasm.get(ROW_BYTES), wasm.LESS_UNSIGNED),
    );
    return wasm.code(
      wasm.code(hasRows, wasm.IF, wasm.LOOP),
      addRows(rows, isInt8, step, sumBytes),
      wasm.code(hasRows, wasm.REPEAT_IF, wasm.END, wasm.END),
    );
  };
  return wasm.code(isInt8 ? setIndexes : [], addWhile(ROWS), addWhile(1));
}

function addRows(count: number, isInt8: boolean, step: number, sumBytes: number): number[] {
  const { code, constant, get, set } = wasm;
  const rows = Array.from({ length: count }, (_, index) => index);
  const sums = Array.from({ length: step }, (_, index) => index);
  const sumOffset = (index: number) => SUMS_START + index * VECTOR_BYTES;
  const addVector = isInt8 ? addBytes : addFloats;
  const loadRows = rows.map((row) =>
    code(
      code(get(AT), wasm.loadI32(OWN, 4 * row), set(FIRST_ROW + row)),
      code(get(AT), wasm.loadF32(OWN, FACTORS_START + 4 * row)),
      isInt8 ? code(wasm.constantF32(1 / MAX_FACTOR), wasm.MULTIPLY_F32) : [],
      code(wasm.SPLAT_F32, set(FIRST_FACTOR + row)),
    ),
  );
  const loadSums = sums.map((sum) =>
    code(get(SUMS), wasm.loadVector(OWN, sumOffset(sum)), set(FIRST_SUM + sum)),
  );
  const addToSums = rows.map((row) =>
    code(
      ...sums.map((sum) => addVector(row, sum)),
      advance(FIRST_ROW + row, step * (isInt8 ? 4 : VECTOR_BYTES)),
    ),
  );
  const storeSums = sums.map((sum) =>
    code(get(SUMS), get(FIRST_SUM + sum), wasm.storeVector(OWN, sumOffset(sum))),
  );
  return code(
    ...loadRows,
    code(advance(AT, 4 * count), constant(0), set(SUMS)),
    wasm.LOOP,
    ...loadSums,
    ...addToSums,
    ...storeSums,
    advance(SUMS, step * VECTOR_BYTES),
    code(get(SUMS), constant(sumBytes), wasm.LESS_UNSIGNED, wasm.REPEAT_IF),
    wasm.END,
  );
}

const advance = (local: number, bytes: number): number[] =>
  wasm.code(wasm.get(local), wasm.constant(bytes), wasm.ADD, wasm.set(local));

function addFloats(row: number, sum: number): number[] {
  return addTo(row, sum, wasm.code(wasm.get(FIRST_ROW + row), wasm.loadVector(TABLE, sum * VECTOR_BYTES)));
}

/** Adds four bytes of a row to vector `sum`. The call for vector 0 loads the bytes for all vectors. */
function addBytes(row: number, sum: number): number[] {
  const load = wasm.code(wasm.get(FIRST_ROW + row), wasm.loadVector(TABLE, 0), wasm.set(BYTES));
  const integers = wasm.code(wasm.get(BYTES), wasm.get(FIRST_INDEXES + sum), wasm.SWIZZLE);
  return wasm.code(sum === 0 ? load : [], addTo(row, sum, wasm.code(integers, wasm.FLOATS_OF_INTEGERS)));
}

/** Sets the swizzle indexes that move each byte of a row to the highest byte of an integer. */
const setIndexes = wasm.code(
  ...Array.from({ length: MAX_SUMS }, (_, sum) => {
    const indexes = Array.from({ length: 4 }, (_, byte) => [NONE, NONE, NONE, 4 * sum + byte]);
    return wasm.code(wasm.constantVector(indexes.flat()), wasm.set(FIRST_INDEXES + sum));
  }),
);

const addTo = (row: number, sum: number, numbers: wasm.Code): number[] =>
  wasm.code(
    wasm.get(FIRST_SUM + sum),
    wasm.code(wasm.get(FIRST_FACTOR + row), numbers, wasm.MULTIPLY_FLOATS),
    wasm.ADD_FLOATS,
    wasm.set(FIRST_SUM + sum),
  );
