import type { Table } from '../table/table.ts';
import { PAGE_BYTES, webAssembly } from '../table/web-assembly.ts';
import { MAX_ROWS, type RowAccumulator } from './row-accumulator.ts';
import * as wasm from './wasm-code.ts';

/** Rows that are added in one pass over the sums, so that these are loaded and stored less often. */
const ROWS = 4;

/** Maximum vectors of four sums that are added to at a time. */
const MAX_SUMS = 4;

const VECTOR_BYTES = 16;

/** Where the factors and sums start in the thread's own memory; `rows` is at 0. */
const FACTORS_START = 4 * MAX_ROWS;
const SUMS_START = 8 * MAX_ROWS;

/** The memories, as import indexes. */
const TABLE = 0;
const OWN = 1;

/**
 * Adds rows with vector instructions of WebAssembly. Its first memory is the table, which all threads share; the
 * second is the thread's own and contains `rows`, `factors` and `sums`. Returns `undefined` if WebAssembly cannot
 * read the table.
 */
export function createWasmAccumulator({ shape, memory }: Table): RowAccumulator | undefined {
  if (webAssembly === undefined || memory instanceof SharedArrayBuffer) return undefined;
  const vectors = Math.ceil(shape.dimensions / 4);
  // A row of bytes is padded to 16 of them.
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

/** A module with the function `add(rowBytes)`, which adds the first `rowBytes / 4` rows. */
function createModule(body: wasm.Code, tablePages: number, pages: number): Uint8Array {
  const add = [...ADD_LOCALS, ...body, ...wasm.END];
  return Uint8Array.from([
    ...Buffer.from('\0asm'),
    ...[1, 0, 0, 0],
    ...wasm.section(wasm.TYPES, 1, ...TAKES_I32),
    ...wasm.section(
      wasm.IMPORTS,
      2,
      ...[...wasm.name('memory'), ...wasm.name('table'), 2, 3],
      ...[...wasm.unsigned(tablePages), ...wasm.unsigned(tablePages)],
      ...[...wasm.name('memory'), ...wasm.name('own'), 2, 0, ...wasm.unsigned(pages)],
    ),
    ...wasm.section(wasm.FUNCTIONS, 1, 0),
    ...wasm.section(wasm.EXPORTS, 1, ...wasm.name('add'), 0, 0),
    ...wasm.section(wasm.CODE, 1, ...wasm.unsigned(add.length), ...add),
  ]);
}

/** The type of a function that takes one number and returns nothing. */
const TAKES_I32 = [0x60, 1, wasm.I32, 0];

/** The locals of `add`, its argument first; each of the rows that are added at once has an address and a factor. */
const ROW_BYTES = 0;
const AT = 1;
/** Where the sums are that are added to, in bytes. */
const SUMS = 2;
const FIRST_ROW = 3;
const FIRST_FACTOR = FIRST_ROW + ROWS;
const BYTES = FIRST_FACTOR + ROWS;
const FIRST_PLACES = BYTES + 1;
const FIRST_SUM = FIRST_PLACES + MAX_SUMS;

const ADD_LOCALS = [2, 2 + ROWS, wasm.I32, ROWS + 1 + 2 * MAX_SUMS, wasm.V128];

/**
 * How many times as much a byte counts as the highest of an integer. Its factor is divided by that, which is exact for
 * factors of 2 ** -102 or more.
 */
const MAX_FACTOR = 2 ** 24;
/** The place of a byte that is 0. */
const NONE = 0x80;

/**
 * Reads each row from its start to its end, as caches expect. The sum of a dimension is added up in the order of the
 * rows.
 *
 * @param step vectors of sums that are added to at a time
 * @param sumBytes a multiple of these
 */
function createAdd(isInt8: boolean, step: number, sumBytes: number): number[] {
  const addWhile = (rows: number) => {
    const isRoom = [
      ...[...wasm.get(AT), ...wasm.constant(4 * (rows - 1)), ...wasm.ADD],
      ...[...wasm.get(ROW_BYTES), ...wasm.LESS_UNSIGNED],
    ];
    return [
      ...[...isRoom, ...wasm.IF, ...wasm.LOOP],
      ...addRows(rows, isInt8, step, sumBytes),
      ...[...isRoom, ...wasm.REPEAT_IF, ...wasm.END, ...wasm.END],
    ];
  };
  return [...(isInt8 ? setPlaces : []), ...addWhile(ROWS), ...addWhile(1)];
}

/** Adds the next rows. */
function addRows(count: number, isInt8: boolean, step: number, sumBytes: number): number[] {
  const rows = Array.from({ length: count }, (_, index) => index);
  const sums = Array.from({ length: step }, (_, index) => index);
  const sumPlace = (index: number) => SUMS_START + index * VECTOR_BYTES;
  const addVector = isInt8 ? addBytes : addFloats;
  return [
    ...rows.flatMap((row) => [
      ...[...wasm.get(AT), ...wasm.loadI32(OWN, 4 * row), ...wasm.set(FIRST_ROW + row)],
      ...[...wasm.get(AT), ...wasm.loadF32(OWN, FACTORS_START + 4 * row)],
      ...(isInt8 ? [...wasm.constantF32(1 / MAX_FACTOR), ...wasm.MULTIPLY_F32] : []),
      ...[...wasm.SPLAT_F32, ...wasm.set(FIRST_FACTOR + row)],
    ]),
    ...[...advance(AT, 4 * count), ...wasm.constant(0), ...wasm.set(SUMS)],
    ...wasm.LOOP,
    ...sums.flatMap((sum) => [
      ...wasm.get(SUMS),
      ...wasm.loadVector(OWN, sumPlace(sum)),
      ...wasm.set(FIRST_SUM + sum),
    ]),
    ...rows.flatMap((row) => [
      ...sums.flatMap((sum) => addVector(row, sum)),
      ...advance(FIRST_ROW + row, step * (isInt8 ? 4 : VECTOR_BYTES)),
    ]),
    ...sums.flatMap((sum) => [
      ...wasm.get(SUMS),
      ...wasm.get(FIRST_SUM + sum),
      ...wasm.storeVector(OWN, sumPlace(sum)),
    ]),
    ...advance(SUMS, step * VECTOR_BYTES),
    ...[...wasm.get(SUMS), ...wasm.constant(sumBytes), ...wasm.LESS_UNSIGNED, ...wasm.REPEAT_IF],
    ...wasm.END,
  ];
}

const advance = (local: number, bytes: number): number[] => [
  ...wasm.get(local),
  ...wasm.constant(bytes),
  ...wasm.ADD,
  ...wasm.set(local),
];

/** Adds four floats of a row. */
function addFloats(row: number, sum: number): number[] {
  return addTo(row, sum, [...wasm.get(FIRST_ROW + row), ...wasm.loadVector(TABLE, sum * VECTOR_BYTES)]);
}

/** Adds four bytes of a row, each as the highest of an integer. The first vector also loads the bytes of the others. */
function addBytes(row: number, sum: number): number[] {
  const load = [...wasm.get(FIRST_ROW + row), ...wasm.loadVector(TABLE, 0), ...wasm.set(BYTES)];
  return [
    ...(sum === 0 ? load : []),
    ...addTo(row, sum, [
      ...[...wasm.get(BYTES), ...wasm.get(FIRST_PLACES + sum), ...wasm.SWIZZLE],
      ...wasm.FLOATS_OF_INTEGERS,
    ]),
  ];
}

/** Sets where each byte of four integers comes from: the highest from the row, the others are 0. */
const setPlaces: wasm.Code = Array.from({ length: MAX_SUMS }, (_, sum) => [
  ...wasm.constantVector(Array.from({ length: 4 }, (_, byte) => [NONE, NONE, NONE, 4 * sum + byte]).flat()),
  ...wasm.set(FIRST_PLACES + sum),
]).flat();

const addTo = (row: number, sum: number, numbers: wasm.Code): number[] => [
  ...wasm.get(FIRST_SUM + sum),
  ...[...wasm.get(FIRST_FACTOR + row), ...numbers, ...wasm.MULTIPLY_FLOATS],
  ...wasm.ADD_FLOATS,
  ...wasm.set(FIRST_SUM + sum),
];
