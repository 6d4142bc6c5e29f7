import { readFile } from 'node:fs/promises';
import { LANGUAGE_NAMES, type LanguageName } from '../manifest.ts';
import { BUCKETS, featuresOf } from './features.ts';

/** A language and its probability, 0 to 1, according to the model. */
export interface Guess {
  readonly name: LanguageName;
  readonly probability: number;
}

/** All languages, most likely first. */
export type Guesser = (text: string) => Guess[];

/** The value of one step of a weight. */
export const WEIGHT_STEP = 1 / 12;

/**
 * Loads a linear model, trained by `test/plugins/chunkers/code/training`: for each bucket one signed byte per
 * language, in the order of `LANGUAGE_NAMES`.
 */
export async function loadModel(): Promise<Guesser> {
  const bytes = await readFile(new URL('weights.bin', import.meta.url));
  const weights = new Int8Array(bytes.buffer, bytes.byteOffset, BUCKETS * LANGUAGE_NAMES.length);
  return (text) => guess(weights, text);
}

function guess(weights: Int8Array, text: string): Guess[] {
  const { buckets, values } = featuresOf(text);
  const count = LANGUAGE_NAMES.length;
  const scores = new Float64Array(count);
  buckets.forEach((bucket, index) => {
    const value = (values[index] as number) * WEIGHT_STEP;
    const row = bucket * count;
    for (let language = 0; language < count; language++) {
      scores[language] = (scores[language] as number) + value * (weights[row + language] as number);
    }
  });
  const largest = Math.max(...scores);
  const likelihoods = scores.map((score) => Math.exp(score - largest));
  const sum = likelihoods.reduce((total, one) => total + one, 0);
  const guesses = LANGUAGE_NAMES.map((name, index) => ({
    name,
    probability: (likelihoods[index] as number) / sum,
  }));
  return guesses.sort((a, b) => b.probability - a.probability);
}
