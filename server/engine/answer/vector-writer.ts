import { endianness } from 'node:os';
import type { Vectors } from '../../../core/contracts/embedding.ts';
import { writeWithin } from './byte-writer.ts';

const FIRST_SIZE = 1024;
/** Approximate bytes of a number in JSON, and in base64. */
const NUMBER_BYTES = { float: 12, base64: 5.4 } as const;

/**
 * Writes vectors as JSON: `{"model": …, "dimensions": …, "embeddings": […]}`, in the order of the texts. A vector is
 * a list of numbers with eight decimals, or the base64 of its 32-bit floats, little-endian.
 *
 * @param count number of vectors
 * @param limit maximum bytes of the answer
 * @throws ServiceError `answer_too_large`
 */
export function writeVectors(
  model: string,
  { dimensions, values }: Vectors,
  count: number,
  encoding: 'float' | 'base64',
  limit: number,
): Uint8Array<ArrayBuffer> {
  const size = FIRST_SIZE + Math.ceil(values.length * NUMBER_BYTES[encoding]);
  return writeWithin(limit, size, (writer) => {
    writer.json(`{"model":${JSON.stringify(model)},"dimensions":${dimensions},"embeddings":[`);
    for (let index = 0; index < count; index++) {
      if (index > 0) writer.ascii(',');
      const vector = values.subarray(index * dimensions, (index + 1) * dimensions);
      if (encoding === 'float') writer.vector(vector);
      else writer.ascii(`"${base64Of(vector)}"`);
    }
    writer.ascii(']}');
  });
}

function base64Of(vector: Float32Array): string {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return (endianness() === 'LE' ? bytes : Buffer.from(bytes).swap32()).toString('base64');
}
