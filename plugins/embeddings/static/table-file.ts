import { type FileHandle, open } from 'node:fs/promises';
import { FLOATS, INTEGERS, isAllBelow, isAllFinite, type Numbers, type NumberType } from './numbers.ts';
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
  if (weights && table.weights) {
    const { weights: target } = table;
    await readNumbers('weights', weights, FLOATS, tokens, (values, first) => target.set(values, first));
  }
  if (mapping && table.mapping) {
    const { mapping: target } = table;
    await readNumbers('mapping', mapping, INTEGERS, tokens, (values, first) => {
      if (!isAllBelow(values, rows)) throw new Error('its tensor mapping names a row that is not there');
      target.set(values, first);
    });
  }
  return table;
}

async function readRows(tensor: Tensor, { shape, buffer, rowsStart, stride }: Table): Promise<void> {
  const { rows, dimensions, isInt8 } = shape;
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

/** Reads a tensor of `count` numbers in stretches; `place` is told where in the tensor one starts. */
async function readNumbers(
  name: string,
  tensor: Tensor,
  types: Readonly<Record<string, NumberType>>,
  count: number,
  place: (values: Numbers, first: number) => void,
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
    const values = type.read(part);
    if (!isAllFinite(values)) throw new Error(`its tensor ${name} has a number that is not finite`);
    place(values, position / type.bytes);
  }
}
