import type { SharedMemory } from '../../../../core/kit.ts';

/** The used part of the WebAssembly API, which the types of Node.js lack. */
interface WebAssemblyNamespace {
  readonly Memory: new (descriptor: {
    readonly initial: number;
    readonly maximum?: number;
    readonly shared?: boolean;
  }) => { readonly buffer: ArrayBuffer | SharedArrayBuffer };
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

/** Undefined if the process was started without WebAssembly. */
export const webAssembly = (globalThis as { WebAssembly?: WebAssemblyNamespace }).WebAssembly;

export const PAGE_BYTES = 65536;

/**
 * The token vectors (rows) of a model, shared by all threads. Each row is padded with zeros to a multiple of
 * 16 bytes, as vector instructions require.
 */
export interface Table {
  readonly shape: TableShape;
  /**
   * Contains header, rows, weights and mapping, shared by all threads. It is a `WebAssembly.Memory` where
   * available, because WebAssembly cannot read other memory.
   */
  readonly memory: SharedMemory;
  readonly buffer: SharedArrayBuffer;
  readonly rowsStart: number;
  readonly stride: number;
  readonly weights: Float32Array | undefined;
  readonly mapping: Uint32Array | undefined;
}

export interface TableShape {
  readonly rows: number;
  readonly dimensions: number;
  /** Whether each value of a row takes one byte instead of four. */
  readonly isInt8: boolean;
  readonly tokens: number;
  readonly hasWeights: boolean;
  readonly hasMapping: boolean;
  /** The id of the token for unknown text. Pooling skips this token. */
  readonly unknownId: number | undefined;
}

const HEADER_BYTES = 64;
const STEP_BYTES = 16;

export function createTable(shape: TableShape): Table {
  const { rows, dimensions, isInt8, tokens, hasWeights, hasMapping, unknownId } = shape;
  const bytes = weightsStart(shape) + (Number(hasWeights) + Number(hasMapping)) * tokens * 4;
  const memory = createMemory(bytes);
  const buffer = bufferOf(memory);
  const flags = Number(isInt8) + 2 * Number(hasWeights) + 4 * Number(hasMapping);
  new Uint32Array(buffer, 0, 5).set([rows, dimensions, tokens, flags, (unknownId ?? -1) + 1]);
  return viewTable(memory);
}

/** Opens memory from `createTable` as a table, in any thread. */
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
