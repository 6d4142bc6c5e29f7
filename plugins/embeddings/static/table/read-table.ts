import { type FileHandle, open } from 'node:fs/promises';
import { FLOATS, INTEGERS, isAllBelow, isAllFinite, type Numbers, type NumberType } from './number-types.ts';
import { readTensors, type Tensor } from './safetensors.ts';
import { createTable, type Table } from './table.ts';

/** Bytes that are read at once. */
const CHUNK_BYTES = 4 * 1024 * 1024;

const MAX_DIMENSIONS = 8192;

/** Reads the weights of a model into shared memory. Throws if the file is broken. */
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
  return table;
}

function sizesOf({ shape }: Tensor): { readonly rows: number; readonly dimensions: number } {
  const [rows = 0, dimensions = 0] = shape;
  if (shape.length === 2 && dimensions >= 1 && dimensions <= MAX_DIMENSIONS) return { rows, dimensions };
  throw new Error(`its tensor embeddings is of shape ${shape.join(' x ')}`);
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

async function readWeights(tensor: Tensor, target: Float32Array): Promise<void> {
  await readNumbers('weights', tensor, FLOATS, target.length, (values, first) => target.set(values, first));
}

async function readMapping(tensor: Tensor, target: Uint32Array, rows: number): Promise<void> {
  await readNumbers('mapping', tensor, INTEGERS, target.length, (values, first) => {
    if (!isAllBelow(values, rows)) throw new Error('its tensor mapping names a row that is not there');
    target.set(values, first);
  });
}

/** Reads a tensor of `count` numbers in stretches; `place` is told where in the tensor each one starts. */
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
    const bytes = chunk.subarray(0, Math.min(chunk.length, tensor.bytes - position));
    await tensor.read(bytes, position);
    const values = type.read(bytes);
    if (!isAllFinite(values)) throw new Error(`its tensor ${name} has a number that is not finite`);
    place(values, position / type.bytes);
  }
}
