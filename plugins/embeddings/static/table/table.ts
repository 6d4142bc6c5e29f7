import type { SharedMemory } from '../../../../core/kit.ts';

/** The part of WebAssembly that is used here; the types of Node.js lack it. */
interface WebAssemblyNamespace {
  readonly Memory: new (descriptor: {
    readonly initial: number;
    readonly maximum?: number;
    readonly shared?: boolean;
  }) => { readonly buffer: ArrayBuffer | SharedArrayBuffer };
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

/** `undefined` if the process was started without WebAssembly. */
export const webAssembly = (globalThis as { WebAssembly?: WebAssemblyNamespace }).WebAssembly;

export const PAGE_BYTES = 65536;

/**
 * A model's rows, as all threads read them. A row is padded with zeros to a multiple of 16 bytes, as vector
 * instructions require.
 */
export interface Table {
  readonly shape: TableShape;
  /**
   * Header, rows, weights and mapping, which threads share. A `WebAssembly.Memory` if WebAssembly is available, because it
   * cannot read other memory.
   */
  readonly memory: SharedMemory;
  readonly buffer: SharedArrayBuffer;
  readonly rowsStart: number;
  readonly stride: number;
  /** The factor of each token's row. */
  readonly weights: Float32Array | undefined;
  /** The row of each token; without it, a token's id is its row. */
  readonly mapping: Uint32Array | undefined;
}

export interface TableShape {
  readonly rows: number;
  readonly dimensions: number;
  /** Whether a number of a row takes one byte; four otherwise. */
  readonly isInt8: boolean;
  /** The number of token ids. */
  readonly tokens: number;
  readonly hasWeights: boolean;
  readonly hasMapping: boolean;
  /** The token for unknown text. It is skipped. */
  readonly unknownId: number | undefined;
}

const HEADER_BYTES = 64;
const STEP_BYTES = 16;

/** Creates a table whose rows, weights and mapping are still zero. */
export function createTable(shape: TableShape): Table {
  const { rows, dimensions, isInt8, tokens, hasWeights, hasMapping, unknownId } = shape;
  const bytes = weightsStart(shape) + (Number(hasWeights) + Number(hasMapping)) * tokens * 4;
  const memory = createMemory(bytes);
  const buffer = bufferOf(memory);
  const flags = Number(isInt8) + 2 * Number(hasWeights) + 4 * Number(hasMapping);
  new Uint32Array(buffer, 0, 5).set([rows, dimensions, tokens, flags, (unknownId ?? -1) + 1]);
  return viewTable(memory);
}

/** Reads a table from the memory that `createTable` allocated, in any thread. */
export function viewTable(memory: SharedMemory): Table {
  const buffer = bufferOf(memory);
  const [rows = 0, dimensions = 0, tokens = 0, flags = 0, unknown = 0] = new Uint32Array(buffer, 0, 5);
  const shape: TableShape = {
    rows,
    dimensions,
    isInt8: (flags & 1) !== 0,
    tokens,
    hasWeights: (flags & 2) !== 0,
    hasMapping: (flags & 4) !== 0,
    unknownId: unknown === 0 ? undefined : unknown - 1,
  };
  const weights = weightsStart(shape);
  const mapping = shape.hasWeights ? weights + 4 * tokens : weights;
  return {
    shape,
    memory,
    buffer,
    rowsStart: HEADER_BYTES,
    stride: strideOf(shape),
    weights: shape.hasWeights ? new Float32Array(buffer, weights, tokens) : undefined,
    mapping: shape.hasMapping ? new Uint32Array(buffer, mapping, tokens) : undefined,
  };
}

function createMemory(bytes: number): SharedMemory {
  if (webAssembly === undefined) return new SharedArrayBuffer(bytes);
  const pages = Math.ceil(bytes / PAGE_BYTES);
  return new webAssembly.Memory({ initial: pages, maximum: pages, shared: true }) as SharedMemory;
}

const bufferOf = (memory: SharedMemory): SharedArrayBuffer =>
  memory instanceof SharedArrayBuffer ? memory : memory.buffer;

const weightsStart = (shape: TableShape): number => HEADER_BYTES + shape.rows * strideOf(shape);

function strideOf({ dimensions, isInt8 }: TableShape): number {
  return Math.ceil((dimensions * (isInt8 ? 1 : 4)) / STEP_BYTES) * STEP_BYTES;
}
