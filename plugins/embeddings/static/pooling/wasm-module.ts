import { MAX_ROWS } from './row-accumulator.ts';
import * as wasm from './wasm-code.ts';

/** Maximum vectors of four sums that stay in registers during a pass over the rows. */
const MAX_SUMS = 16;

export const VECTOR_BYTES = 16;

/** Where the factors and sums start in the thread's own memory; `rows` is at 0. */
export const FACTORS_START = 4 * MAX_ROWS;
export const SUMS_START = 8 * MAX_ROWS;

/** The memories, as import indexes. */
const TABLE = 0;
const OWN = 1;

/** A module with the function `add(rowBytes)`, which adds the first `rowBytes / 4` rows. */
export function createModule(
  isInt8: boolean,
  vectors: number,
  tablePages: number,
  pages: number,
): Uint8Array {
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
const FACTOR = 3;
const PAIR = 4;
const FIRST_SUM = 5;

const ADD_LOCALS = [2, 2, wasm.I32, 2 + MAX_SUMS, wasm.V128];

/** Goes over all rows once per block of sums, so that the sums stay in registers. */
function createAdd(isInt8: boolean, vectors: number): number[] {
  const code: number[] = [];
  for (let first = 0; first < vectors; first += MAX_SUMS) {
    code.push(...createBlock(isInt8, first, Math.min(MAX_SUMS, vectors - first)));
  }
  return [...wasm.get(ROW_BYTES), ...wasm.IF, ...code, ...wasm.END];
}

function createBlock(isInt8: boolean, first: number, count: number): number[] {
  const sums = Array.from({ length: count }, (_, index) => FIRST_SUM + index);
  const sumPlace = (index: number) => SUMS_START + (first + index) * VECTOR_BYTES;
  const addVector = isInt8 ? addBytes : addFloats;
  return [
    ...sums.flatMap((sum, index) => [
      ...wasm.ZERO,
      ...wasm.loadVector(OWN, sumPlace(index)),
      ...wasm.set(sum),
    ]),
    ...[...wasm.ZERO, ...wasm.set(AT)],
    ...wasm.LOOP,
    ...[...wasm.get(AT), ...wasm.loadI32(OWN, 0), ...wasm.set(ROW)],
    ...[...wasm.get(AT), ...wasm.loadF32(OWN, FACTORS_START), ...wasm.SPLAT_F32, ...wasm.set(FACTOR)],
    ...sums.flatMap((sum, index) => addVector(sum, first + index)),
    ...[...wasm.get(AT), ...wasm.FOUR, ...wasm.ADD, ...wasm.set(AT)],
    ...[...wasm.get(AT), ...wasm.get(ROW_BYTES), ...wasm.LESS_UNSIGNED, ...wasm.REPEAT_IF],
    ...wasm.END,
    ...sums.flatMap((sum, index) => [
      ...wasm.ZERO,
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
