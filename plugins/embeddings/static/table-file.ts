import { type FileHandle, open } from 'node:fs/promises';
import { FLOATS, INTEGERS, type NumberType } from './numbers.ts';
import { readTensors, type Tensor } from './safetensors.ts';
import { createTable, type Table } from './table.ts';

/** Bytes that are read at once. */
const CHUNK_BYTES = 4 * 1024 * 1024;

const MAX_DIMENSIONS = 8192;

/** Reads the weights of a model into shared memory. Throws where the file is broken. */
export async function readTable(path: string, unknownId: number | undefined): Promise<Table> {
  const file = await open(path);
  try {
    return await readOpened(file, unknownId);
  } finally {
    await file.close();
  }
}

async function readOpened(file: FileHandle, unknownId: number | undefined): Promise<Table> {
  const tensors = await readTensors(file);
  const embeddings = tensors.get('embeddings');
  const weights = tensors.get('weights');
  const mapping = tensors.get('mapping');
  if (embeddings === undefined) throw new Error('it has no tensor embeddings');
  const [rows = 0, dimensions = 0] = embeddings.shape;
  if (embeddings.shape.length !== 2 || dimensions < 1 || dimensions > MAX_DIMENSIONS) {
    throw new Error(`its tensor embeddings is of shape ${embeddings.shape.join(' x ')}`);
  }
  const tokens = mapping?.shape[0] ?? rows;
  const isInt8 = embeddings.dtype === 'I8';
  const table = createTable({
    rows,
    dimensions,
    isInt8,
    tokens,
    hasWeights: weights !== undefined,
    hasMapping: mapping !== undefined,
    unknownId,
  });
  await readRows(embeddings, table);
  if (weights && table.weights) await readList('weights', weights, FLOATS, table.weights, Number.isFinite);
  if (mapping && table.mapping) {
    await readList('mapping', mapping, INTEGERS, table.mapping, (row) => row >= 0 && row < rows);
  }
  return table;
}

async function readRows(tensor: Tensor, { shape, memory, rowsStart, stride }: Table): Promise<void> {
  const { rows, dimensions, isInt8 } = shape;
  const numbers = isInt8
    ? new Int8Array(memory, rowsStart)
    : new Float32Array(memory, rowsStart, (rows * stride) / 4);
  const step = stride / numbers.BYTES_PER_ELEMENT;
  let row = 0;
  let column = 0;
  await forEachNumber('embeddings', tensor, FLOATS, rows * dimensions, (value) => {
    if (!Number.isFinite(value)) throw new Error('its tensor embeddings has a number that is not finite');
    numbers[row * step + column] = value;
    if (++column < dimensions) return;
    column = 0;
    row++;
  });
}

async function readList(
  name: string,
  tensor: Tensor,
  types: Readonly<Record<string, NumberType>>,
  target: Float32Array | Uint32Array,
  isValid: (value: number) => boolean,
): Promise<void> {
  let index = 0;
  await forEachNumber(name, tensor, types, target.length, (value) => {
    if (!isValid(value)) throw new Error(`its tensor ${name} has a number that cannot be`);
    target[index++] = value;
  });
}

async function forEachNumber(
  name: string,
  tensor: Tensor,
  types: Readonly<Record<string, NumberType>>,
  count: number,
  visit: (value: number) => void,
): Promise<void> {
  const type = types[tensor.dtype];
  if (type === undefined) throw new Error(`its tensor ${name} is of type ${tensor.dtype}`);
  if (tensor.bytes !== count * type.bytes || tensor.shape.reduce((a, b) => a * b, 1) !== count) {
    throw new Error(`its tensor ${name} does not have ${count} numbers`);
  }
  const chunk = new Uint8Array(Math.min(CHUNK_BYTES, tensor.bytes));
  for (let position = 0; position < tensor.bytes; position += chunk.length) {
    const part = chunk.subarray(0, Math.min(chunk.length, tensor.bytes - position));
    await tensor.read(part, position);
    const view = new DataView(part.buffer, 0, part.length);
    for (let at = 0; at < part.length; at += type.bytes) visit(type.read(view, at));
  }
}
