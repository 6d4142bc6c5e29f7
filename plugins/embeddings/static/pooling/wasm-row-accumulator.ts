import type { Table } from '../table/table.ts';
import { PAGE_BYTES, webAssembly } from '../table/web-assembly.ts';
import { MAX_ROWS, type RowAccumulator } from './row-accumulator.ts';
import { createModule, FACTORS_START, SUMS_START, VECTOR_BYTES } from './wasm-module.ts';

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
