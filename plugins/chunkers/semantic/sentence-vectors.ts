import type { EmbeddingModel } from '../../../core/kit.ts';

/**
 * The sentences of a text as unit vectors. A sentence with a zero vector carries no topic (`***`, or
 * words that the model does not know): it goes with the previous sentence.
 */
export interface SentenceVectors {
  /** The index of each vector's sentence among all sentences, rising. */
  readonly places: Uint32Array;
  /** Rows of `dimensions` numbers, each of length 1. */
  readonly values: Float32Array;
  readonly dimensions: number;
}

/** Embeds every sentence once. */
export async function embedSentences(
  text: string,
  boundaries: readonly number[],
  model: EmbeddingModel,
  signal: AbortSignal,
): Promise<SentenceVectors> {
  const sentences: string[] = [];
  for (let place = 0; place + 1 < boundaries.length; place++) {
    sentences.push(text.slice(boundaries[place], boundaries[place + 1]));
  }
  const { dimensions, values } = await model.embed(sentences, { purpose: 'similarity', signal });
  return toUnitVectors(values, dimensions);
}

/** Scales rows to length 1 and leaves out zero rows. */
export function toUnitVectors(values: Float32Array, dimensions: number): SentenceVectors {
  const count = values.length / dimensions;
  const places = new Uint32Array(count);
  const units = new Float32Array(values.length);
  let kept = 0;
  for (let place = 0; place < count; place++) {
    const from = place * dimensions;
    const length = Math.sqrt(squareOf(values, from, dimensions));
    if (!(length > 0 && Number.isFinite(length))) continue;
    const [to, scale] = [kept * dimensions, 1 / length];
    for (let at = 0; at < dimensions; at++) units[to + at] = (values[from + at] as number) * scale;
    places[kept++] = place;
  }
  return { places: places.subarray(0, kept), values: units.subarray(0, kept * dimensions), dimensions };
}

function squareOf(values: Float32Array, from: number, dimensions: number): number {
  let sum = 0;
  for (let at = from; at < from + dimensions; at++) sum += (values[at] as number) ** 2;
  return sum;
}

/** Adds a row to a sum. */
export function addTo(sum: Float64Array, values: Float32Array, from: number): void {
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) + (values[from + at] as number);
}
