import type { Table } from '../table/table.ts';
import { PAGE_BYTES, webAssembly } from '../table/web-assembly.ts';
import { MAX_ROWS, type RowAccumulator } from './row-accumulator.ts';
import * as wasm from './wasm-code.ts';

/** Maximum vectors of four sums that stay in registers during a pass over the rows. */
const MAX_SUMS = 8;

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
  const pages = Math.ceil((SUMS_START + vectors * VECTOR_BYTES) / PAGE_BYTES);
  const own = new webAssembly.Memory({ initial: pages });
  const tablePages = memory.buffer.byteLength / PAGE_BYTES;
  try {
    const module = new webAssembly.Module(createModule(shape.isInt8, vectors, tablePages, pages));
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
function createModule(isInt8: boolean, vectors: number, tablePages: number, pages: number): Uint8Array {
  const add = [...ADD_LOCALS, ...createAdd(isInt8, vectors), ...wasm.END];
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

/** The locals of `add`, its argument first. */
const ROW_BYTES = 0;
const AT = 1;
const ROW = 2;
/** Where the block begins in each row, and in the sums, in bytes. */
const BLOCK = 3;
const SUMS = 4;
const FACTOR = 5;
const PAIR = 6;
const FIRST_SUM = 7;

const ADD_LOCALS = [2, 4, wasm.I32, 2 + MAX_SUMS, wasm.V128];

/**
 * Goes over all rows once per block of sums, so that the sums stay in registers. The code of full blocks is the same, in
 * a loop: a compiler takes longer than the first vectors.
 */
function createAdd(isInt8: boolean, vectors: number): number[] {
  const rest = vectors % MAX_SUMS;
  const fullBytes = (vectors - rest) * VECTOR_BYTES;
  const full = [
    ...wasm.LOOP,
    ...createBlock(isInt8, MAX_SUMS),
    ...advance(BLOCK, MAX_SUMS * (isInt8 ? 4 : VECTOR_BYTES)),
    ...advance(SUMS, MAX_SUMS * VECTOR_BYTES),
    ...[...wasm.get(SUMS), ...wasm.constant(fullBytes), ...wasm.LESS_UNSIGNED, ...wasm.REPEAT_IF],
    ...wasm.END,
  ];
  return [
    ...[...wasm.get(ROW_BYTES), ...wasm.IF],
    ...(fullBytes > 0 ? full : []),
    ...(rest > 0 ? createBlock(isInt8, rest) : []),
    ...wasm.END,
  ];
}

const advance = (local: number, bytes: number): number[] => [
  ...wasm.get(local),
  ...wasm.constant(bytes),
  ...wasm.ADD,
  ...wasm.set(local),
];

function createBlock(isInt8: boolean, count: number): number[] {
  const sums = Array.from({ length: count }, (_, index) => FIRST_SUM + index);
  const sumPlace = (index: number) => SUMS_START + index * VECTOR_BYTES;
  const addVector = isInt8 ? addBytes : addFloats;
  return [
    ...sums.flatMap((sum, index) => [
      ...wasm.get(SUMS),
      ...wasm.loadVector(OWN, sumPlace(index)),
      ...wasm.set(sum),
    ]),
    ...[...wasm.constant(0), ...wasm.set(AT)],
    ...wasm.LOOP,
    ...[...wasm.get(AT), ...wasm.loadI32(OWN, 0), ...wasm.get(BLOCK), ...wasm.ADD, ...wasm.set(ROW)],
    ...[...wasm.get(AT), ...wasm.loadF32(OWN, FACTORS_START), ...wasm.SPLAT_F32, ...wasm.set(FACTOR)],
    ...sums.flatMap((sum, index) => addVector(sum, index)),
    ...advance(AT, 4),
    ...[...wasm.get(AT), ...wasm.get(ROW_BYTES), ...wasm.LESS_UNSIGNED, ...wasm.REPEAT_IF],
    ...wasm.END,
    ...sums.flatMap((sum, index) => [
      ...wasm.get(SUMS),
      ...wasm.get(sum),
      ...wasm.storeVector(OWN, sumPlace(index)),
    ]),
  ];
}

/** Adds four floats of the row. */
function addFloats(sum: number, vector: number): number[] {
  return addTo(sum, [...wasm.get(ROW), ...wasm.loadVector(TABLE, vector * VECTOR_BYTES)]);
}

/** Adds four bytes of the row. An even vector also loads the bytes of the next one. */
function addBytes(sum: number, vector: number): number[] {
  const load = [...wasm.get(ROW), ...wasm.loadBytes(TABLE, vector * 4), ...wasm.set(PAIR)];
  const isFirst = vector % 2 === 0;
  const widen = isFirst ? wasm.WIDEN_LOW : wasm.WIDEN_HIGH;
  return [...(isFirst ? load : []), ...addTo(sum, [...wasm.get(PAIR), ...widen, ...wasm.FLOATS_OF_INTEGERS])];
}

const addTo = (sum: number, numbers: wasm.Code): number[] => [
  ...wasm.get(sum),
  ...[...wasm.get(FACTOR), ...numbers, ...wasm.MULTIPLY_FLOATS],
  ...wasm.ADD_FLOATS,
  ...wasm.set(sum),
];
