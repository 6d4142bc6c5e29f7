import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import type { EmbeddingModel } from '../../../core/contracts/embedding.ts';
import { readTable } from '../../../plugins/embeddings/static/table/read-table.ts';
import { readUnknownId } from '../../../plugins/embeddings/static/table/unknown-token.ts';
import { signal } from './ours.ts';

const FOLDER = join(
  import.meta.dirname,
  '../../../plugins/embeddings/static/models/chunksmith/static-en-256',
);
const CLOSE = 1e-4;

/** Vectors as lists of numbers, as chonkiejs documents its embedding functions. */
export type EmbedPlainly = (texts: readonly string[]) => Promise<number[][]>;

/**
 * Embeds as one would with other packages: tokens from the Hugging Face library, and the mean of their rows
 * in plain JavaScript.
 *
 * @throws if its vectors are not those of the model
 */
export async function createPlainFunction(model: EmbeddingModel, samples: string[]): Promise<EmbedPlainly> {
  const path = join(FOLDER, 'tokenizer.json');
  const tokenizer = new Tokenizer(JSON.parse(await readFile(path, 'utf8')), {});
  const unknownId = await readUnknownId(path);
  const table = await readTable(join(FOLDER, 'model.safetensors'), unknownId);
  const { dimensions } = table.shape;
  const rows = new Int8Array(table.buffer, table.rowsStart);

  function embedOne(text: string): number[] {
    const counts = new Map<number, number>();
    for (const id of tokenizer.encode(text, { add_special_tokens: false }).ids) {
      if (id !== unknownId) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    const sum: number[] = new Array(dimensions).fill(0);
    for (const [id, count] of counts) {
      const factor = (1 + Math.log(count)) * (table.weights?.[id] ?? 1);
      const row = (table.mapping?.[id] ?? id) * table.stride;
      for (let at = 0; at < dimensions; at++)
        sum[at] = (sum[at] as number) + factor * (rows[row + at] as number);
    }
    const length = Math.hypot(...sum) || 1;
    return sum.map((value) => value / length);
  }

  const { values } = await model.embed(samples, { purpose: 'similarity', signal });
  samples.forEach((sample, index) => {
    const own = values.subarray(index * dimensions, (index + 1) * dimensions);
    const cosine = embedOne(sample).reduce((product, value, at) => product + value * (own[at] as number), 0);
    if (Math.abs(1 - cosine) > CLOSE) throw new Error(`another vector than the model's: cosine ${cosine}`);
  });
  return async (texts) => texts.map(embedOne);
}
