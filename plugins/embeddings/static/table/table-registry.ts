import { type FileHandle, open } from 'node:fs/promises';
import type { SharedBuffers, SharedMemory } from '../../../../core/kit.ts';
import { createTable, type Table, viewTable } from './table.ts';

export interface TableLease {
  readonly table: Table;
  /** Call at most once. */
  release(): void;
}

export type TableRegistry = ReturnType<typeof createTableRegistry>;

/**
 * Leases tables to the models of one thread. Shared buffers count each thread once, so a table is released
 * only after its last lease. A model that is open under two names has two leases.
 */
export function createTableRegistry(shared: SharedBuffers) {
  const leases = new Map<string, number>();

  function release(key: string): void {
    const left = (leases.get(key) as number) - 1;
    leases.set(key, left);
    if (left > 0) return;
    leases.delete(key);
    shared.release(key);
  }

  return {
    /** @param build makes the memory of a table that no thread has */
    async lease(name: string, build: () => Promise<SharedMemory>): Promise<TableLease> {
      const key = `static/${name}`;
      leases.set(key, (leases.get(key) ?? 0) + 1);
      try {
        return { table: viewTable(await shared.get(key, build)), release: () => release(key) };
      } catch (error) {
        release(key);
        throw error;
      }
    },
  };
}

const CHUNK_BYTES = 4 * 1024 * 1024;

const MAX_DIMENSIONS = 8192;

/** Reads the weights of a model into shared memory. Throws if the file is broken. */
export async function readTable(path: string, unknownId: number | undefined): Promise<SharedMemory> {
  await using file = await open(path);
  const tensors = await readTensors(file);
  const embeddings = tensors.get('embeddings');
  const weights = tensors.get('weights');
  const mapping = tensors.get('mapping');
  if (embeddings === undefined) throw new Error('it has no tensor embeddings');
  const { rows, dimensions } = sizesOf(embeddings);
  const table = createTable({
    rows,
    dimensions,
    isInt8: embeddings.dtype === 'I8',
    tokens: mapping?.shape[0] ?? rows,
    hasWeights: weights !== undefined,
    hasMapping: mapping !== undefined,
    unknownId,
  });
  await readRows(embeddings, table);
  if (weights && table.weights) await readWeights(weights, table.weights);
  if (mapping && table.mapping) await readMapping(mapping, table.mapping, rows);
  return table.memory;
}

function sizesOf({ shape }: Tensor): { readonly rows: number; readonly dimensions: number } {
  const [rows = 0, dimensions = 0] = shape;
  if (shape.length === 2 && dimensions >= 1 && dimensions <= MAX_DIMENSIONS) return { rows, dimensions };
  throw new Error(`its tensor embeddings is of shape ${shape.join(' x ')}`);
}

async function readRows(tensor: Tensor, { shape, buffer, rowsStart, stride }: Table): Promise<void> {
  const { rows, dimensions, isInt8 } = shape;
  if (isInt8 && stride === dimensions && tensor.bytes === rows * stride)
    return readInto(tensor.file, tensor.start, new Uint8Array(buffer, rowsStart, tensor.bytes));
  const numbers = isInt8 ? new Int8Array(buffer, rowsStart) : new Float32Array(buffer, rowsStart);
  const step = stride / numbers.BYTES_PER_ELEMENT;
  await readNumbers('embeddings', tensor, FLOATS, rows * dimensions, (values, first) => {
    for (let index = 0; index < values.length; ) {
      const row = Math.floor((first + index) / dimensions);
      const column = first + index - row * dimensions;
      const count = Math.min(dimensions - column, values.length - index);
      numbers.set(values.subarray(index, index + count), row * step + column);
      index += count;
    }
  });
}

async function readWeights(tensor: Tensor, target: Float32Array): Promise<void> {
  await readNumbers('weights', tensor, FLOATS, target.length, (values, first) => target.set(values, first));
}

async function readMapping(tensor: Tensor, target: Uint32Array, rows: number): Promise<void> {
  await readNumbers('mapping', tensor, INTEGERS, target.length, (values, first) => {
    if (!isAllBelow(values, rows)) throw new Error('its tensor mapping names a row that does not exist');
    target.set(values, first);
  });
}

/** Reads a tensor of `count` numbers in chunks. @param visit receives a chunk and its first number's index */
async function readNumbers(
  name: string,
  tensor: Tensor,
  types: Readonly<Record<string, NumberType>>,
  count: number,
  visit: (values: Numbers, first: number) => void,
): Promise<void> {
  const type = types[tensor.dtype];
  if (type === undefined) throw new Error(`its tensor ${name} is of type ${tensor.dtype}`);
  if (tensor.bytes !== count * type.bytes || tensor.shape.reduce((a, b) => a * b, 1) !== count) {
    throw new Error(`its tensor ${name} does not have ${count} numbers`);
  }
  for (let position = 0; position < tensor.bytes; position += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, tensor.bytes - position);
    const values = type.read(await readBytes(tensor.file, tensor.start + position, length));
    if (!isAllFinite(values)) throw new Error(`its tensor ${name} has a number that is not finite`);
    visit(values, position / type.bytes);
  }
}

type Numbers = Int8Array | Uint8Array | Uint16Array | Int32Array | Uint32Array | Floats;
type Floats = Float16Array | Float32Array | Float64Array;

/** A type of numbers in a file. Bytes are not swapped, because files and machine are little-endian. */
interface NumberType {
  readonly bytes: number;
  read(buffer: ArrayBuffer): Numbers;
}

const FLOATS: Readonly<Record<string, NumberType>> = {
  I8: { bytes: 1, read: (buffer) => new Int8Array(buffer) },
  F16: { bytes: 2, read: (buffer) => new Float16Array(buffer) },
  BF16: { bytes: 2, read: readBfloat16 },
  F32: { bytes: 4, read: (buffer) => new Float32Array(buffer) },
  F64: { bytes: 8, read: (buffer) => new Float64Array(buffer) },
};

const INTEGERS: Readonly<Record<string, NumberType>> = {
  U8: { bytes: 1, read: (buffer) => new Uint8Array(buffer) },
  U16: { bytes: 2, read: (buffer) => new Uint16Array(buffer) },
  I32: { bytes: 4, read: (buffer) => new Int32Array(buffer) },
  U32: { bytes: 4, read: (buffer) => new Uint32Array(buffer) },
  I64: { bytes: 8, read: (buffer) => Float64Array.from(new BigInt64Array(buffer), Number) },
  U64: { bytes: 8, read: (buffer) => Float64Array.from(new BigUint64Array(buffer), Number) },
};

function readBfloat16(buffer: ArrayBuffer): Float32Array {
  return new Float32Array(Uint32Array.from(new Uint16Array(buffer), (half) => half << 16).buffer);
}

function isAllFinite(values: Numbers): boolean {
  if (values instanceof Int8Array) return true;
  for (let index = 0; index < values.length; index++) {
    if (!Number.isFinite(Math.fround(values[index] as number))) return false;
  }
  return true;
}

function isAllBelow(values: Numbers, limit: number): boolean {
  return values.every((value) => value >= 0 && value < limit);
}

interface Tensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly file: FileHandle;
  readonly start: number;
  readonly bytes: number;
}

const LENGTH_BYTES = 8;
const MAX_HEADER_BYTES = 1024 * 1024;

/** Reads the header of a safetensors file. Throws if the header does not match the file. */
async function readTensors(file: FileHandle): Promise<Map<string, Tensor>> {
  const { size } = await file.stat();
  if (size < LENGTH_BYTES) throw new Error('it is too short');
  const length = Number(new DataView(await readBytes(file, 0, LENGTH_BYTES)).getBigUint64(0, true));
  if (length > MAX_HEADER_BYTES || LENGTH_BYTES + length > size) throw new Error('its header is incomplete');
  const header = parse(await readBytes(file, LENGTH_BYTES, length));
  const data = LENGTH_BYTES + length;
  const tensors = new Map<string, Tensor>();
  for (const [name, entry] of Object.entries(header)) {
    if (name !== '__metadata__') tensors.set(name, locate(file, name, entry, data, size - data));
  }
  return tensors;
}

function locate(file: FileHandle, name: string, entry: unknown, data: number, available: number): Tensor {
  const { dtype, shape, data_offsets: offsets } = (entry ?? {}) as Record<string, unknown>;
  if (typeof dtype !== 'string' || !isCounts(shape) || !isCounts(offsets) || offsets.length !== 2) {
    throw new Error(`its tensor ${name} is not described`);
  }
  const [start, end] = offsets as [number, number];
  if (start > end || end > available) throw new Error(`its tensor ${name} is incomplete`);
  return { dtype, shape, file, start: data + start, bytes: end - start };
}

function parse(bytes: ArrayBuffer): object {
  try {
    const header: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    if (typeof header === 'object' && header !== null) return header;
  } catch {}
  throw new Error('its header is not JSON');
}

async function readBytes(file: FileHandle, position: number, length: number): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  await readInto(file, position, bytes);
  return bytes.buffer;
}

async function readInto(file: FileHandle, position: number, bytes: Uint8Array): Promise<void> {
  for (let filled = 0; filled < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, position + filled);
    if (bytesRead === 0) throw new Error('it is truncated');
    filled += bytesRead;
  }
}

const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((count) => Number.isSafeInteger(count) && count >= 0);
