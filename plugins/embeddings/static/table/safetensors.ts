import type { FileHandle } from 'node:fs/promises';

/** Where a tensor lies in a file, and how its numbers are written. */
export interface Tensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: number;
  /** Fills `target` with the tensor's bytes from `position` on. */
  read(target: Uint8Array, position: number): Promise<void>;
}

const LENGTH_BYTES = 8;
const MAX_HEADER_BYTES = 1024 * 1024;

/** Reads the header of a safetensors file. Throws if it does not fit the file. */
export async function readTensors(file: FileHandle): Promise<Map<string, Tensor>> {
  const { size } = await file.stat();
  if (size < LENGTH_BYTES) throw new Error('it is too short');
  const length = Number((await readBytes(file, 0, LENGTH_BYTES)).readBigUInt64LE());
  if (length > MAX_HEADER_BYTES || LENGTH_BYTES + length > size) throw new Error('its header is not whole');
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
  if (start > end || end > available) throw new Error(`its tensor ${name} is not whole`);
  return {
    dtype,
    shape,
    bytes: end - start,
    read: (target, position) => fill(file, target, data + start + position),
  };
}

function parse(bytes: Buffer): object {
  try {
    const header: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof header === 'object' && header !== null) return header;
  } catch {}
  throw new Error('its header is not JSON');
}

async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  await fill(file, bytes, position);
  return bytes;
}

async function fill(file: FileHandle, target: Uint8Array, position: number): Promise<void> {
  for (let filled = 0; filled < target.length; ) {
    const { bytesRead } = await file.read(target, filled, target.length - filled, position + filled);
    if (bytesRead === 0) throw new Error('it ends too early');
    filled += bytesRead;
  }
}

const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((count) => Number.isSafeInteger(count) && count >= 0);
