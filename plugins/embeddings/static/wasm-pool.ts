import { POOL_ROWS, type Pool } from './pool.ts';
import type { Table } from './table.ts';
import * as wasm from './wasm-code.ts';
import { PAGE_BYTES, type WebAssemblyMemory, webAssembly } from './web-assembly.ts';

/** Vectors of four sums that are kept in registers while all rows are passed. */
const MAX_SUMS = 16;

const VECTOR_BYTES = 16;

/** What lies where in the thread's own memory; places of rows come first. */
const FACTORS_START = 4 * POOL_ROWS;
const SUMS_START = 8 * POOL_ROWS;

/** The order in which the memories are imported. */
const TABLE = 0;
const OWN = 1;

/**
 * Adds rows in WebAssembly with vector instructions. The table is the first memory, shared by all threads;
 * the thread's own second one holds places of rows, factors and sums. Gives `undefined` where WebAssembly
 * cannot read the table.
 */
export function createWasmPool({ shape, memory }: Table): Pool | undefined {
  if (webAssembly === undefined || memory instanceof SharedArrayBuffer) return undefined;
  const vectors = Math.ceil(shape.dimensions / 4);
  const pages = Math.ceil((SUMS_START + vectors * VECTOR_BYTES) / PAGE_BYTES);
  const own = new webAssembly.Memory({ initial: pages });
  const tablePages = memory.buffer.byteLength / PAGE_BYTES;
  const add = compile(createModule(shape.isInt8, vectors, tablePages, pages), memory, own);
  if (add === undefined) return undefined;
  return {
    rows: new Uint32Array(own.buffer, 0, POOL_ROWS),
    factors: new Float32Array(own.buffer, FACTORS_START, POOL_ROWS),
    sums: new Float32Array(own.buffer, SUMS_START, shape.dimensions),
    add: (count) => add(4 * count),
  };
}

function compile(code: Uint8Array, table: WebAssemblyMemory, own: WebAssemblyMemory) {
  try {
    if (webAssembly === undefined) return undefined;
    const module = new webAssembly.Module(code);
    const { exports } = new webAssembly.Instance(module, { memory: { table, own } });
    return (exports as { add(rowBytes: number): void }).add;
  } catch {
    return undefined;
  }
}

/** A module with one function `add(rowBytes)`, which passes the first `rowBytes / 4` rows. */
function createModule(isInt8: boolean, vectors: number, tablePages: number, pages: number) {
  const body = [...createLocals(), ...createAdd(isInt8, vectors), 0x0b];
  return Uint8Array.from([
    ...Buffer.from('\0asm'),
    ...[1, 0, 0, 0],
    ...wasm.section(1, 1, 0x60, 1, wasm.I32, 0),
    ...wasm.section(
      2,
      2,
      ...[...wasm.name('memory'), ...wasm.name('table'), 2, 3],
      ...[...wasm.unsigned(tablePages), ...wasm.unsigned(tablePages)],
      ...[...wasm.name('memory'), ...wasm.name('own'), 2, 0, ...wasm.unsigned(pages)],
    ),
    ...wasm.section(3, 1, 0),
    ...wasm.section(7, 1, ...wasm.name('add'), 0, 0),
    ...wasm.section(10, 1, ...wasm.unsigned(body.length), ...body),
  ]);
}

const ROW_BYTES = 0;
const AT = 1;
const ROW = 2;
const FACTOR = 3;
const PAIR = 4;
const FIRST_SUM = 5;

const createLocals = (): number[] => [2, 2, wasm.I32, 2 + MAX_SUMS, wasm.V128];

/** Passes all rows once for each block of sums, so that the sums stay in registers. */
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
      ...wasm.number(0),
      ...wasm.loadVector(OWN, sumPlace(index)),
      ...wasm.set(sum),
    ]),
    ...[...wasm.number(0), ...wasm.set(AT)],
    ...wasm.LOOP,
    ...[...wasm.get(AT), ...wasm.loadI32(OWN, 0), ...wasm.set(ROW)],
    ...[...wasm.get(AT), ...wasm.loadF32(OWN, FACTORS_START), ...wasm.SPLAT_F32, ...wasm.set(FACTOR)],
    ...sums.flatMap((sum, index) => addVector(sum, first + index)),
    ...[...wasm.get(AT), ...wasm.number(4), ...wasm.ADD, ...wasm.set(AT)],
    ...[...wasm.get(AT), ...wasm.get(ROW_BYTES), ...wasm.LESS_UNSIGNED, ...wasm.REPEAT_IF],
    ...wasm.END,
    ...sums.flatMap((sum, index) => [
      ...wasm.number(0),
      ...wasm.get(sum),
      ...wasm.storeVector(OWN, sumPlace(index)),
    ]),
  ];
}

/** Adds four floats of the row. */
function addFloats(sum: number, vector: number): number[] {
  return addTo(sum, [...wasm.get(ROW), ...wasm.loadVector(TABLE, vector * VECTOR_BYTES)]);
}

/** Adds four bytes of the row; those of two vectors are loaded at once. */
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
