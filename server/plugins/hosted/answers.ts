import type { Vectors } from '../../../core/contracts/embedding.ts';
import { exposedError } from '../../../core/errors.ts';

/**
 * A base URL ready to be put before a path: http or https, without a trailing slash.
 *
 * @throws an error for the caller that names the variable
 */
export function baseUrl(given: string | undefined, fallback: string, variable: string): string {
  const url = (given || fallback).replace(/\/+$/, '');
  if (/^https?:\/\/[^/]/.test(url)) return url;
  throw exposedError(`${variable} is not an http or https URL`);
}

/** The vectors of an answer in OpenAI's format: `data` in any order, as numbers or as base64. */
export function readData(answer: unknown): readonly ArrayLike<number>[] {
  const { data } = answer as { data: readonly { index?: number; embedding: unknown }[] };
  const rows: ArrayLike<number>[] = new Array(data.length);
  data.forEach(({ index, embedding }, place) => {
    rows[index ?? place] = typeof embedding === 'string' ? fromBase64(embedding) : (embedding as number[]);
  });
  for (let place = 0; place < rows.length; place++)
    if (!rows[place]?.length) throw new Error('a vector is missing');
  return rows;
}

/** One list of numbers from the vectors of all texts. */
export function flatten(rows: readonly ArrayLike<number>[], title: string): Vectors {
  const dimensions = rows[0]?.length ?? 0;
  const values = new Float32Array(rows.length * dimensions);
  rows.forEach((row, index) => {
    if (row.length !== dimensions) throw exposedError(`${title} returned vectors of different lengths`);
    values.set(row, index * dimensions);
  });
  return { dimensions, values };
}

function fromBase64(text: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return new Float32Array(bytes.buffer);
}
