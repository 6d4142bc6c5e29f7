import { POOL_ROWS, type Pool } from './pool.ts';
import { createModule, FACTORS_START, SUMS_START, VECTOR_BYTES } from './pool-module.ts';
import type { Table } from './table.ts';
import { PAGE_BYTES, type WebAssemblyMemory, webAssembly } from './web-assembly.ts';

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
  const functions = compile(createModule(shape.isInt8, vectors, tablePages, pages), memory, own);
  if (functions === undefined) return undefined;
  return {
    rows: new Uint32Array(own.buffer, 0, POOL_ROWS),
    factors: new Float32Array(own.buffer, FACTORS_START, POOL_ROWS),
    sums: new Float32Array(own.buffer, SUMS_START, shape.dimensions),
    add: (count) => functions.add(4 * count),
    scale: functions.scale,
  };
}

interface Functions {
  add(rowBytes: number): void;
  scale(factor: number): void;
}

function compile(code: Uint8Array, table: WebAssemblyMemory, own: WebAssemblyMemory): Functions | undefined {
  try {
    if (webAssembly === undefined) return undefined;
    const module = new webAssembly.Module(code);
    return new webAssembly.Instance(module, { memory: { table, own } }).exports as Functions;
  } catch {
    return undefined;
  }
}
