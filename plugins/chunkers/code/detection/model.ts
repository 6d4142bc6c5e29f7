import { readFile } from 'node:fs/promises';
import { LANGUAGE_NAMES, type LanguageName } from '../manifest.ts';
import { BUCKETS, featuresOf } from './features.ts';

/** A language and its probability, 0 to 1, according to the model. */
export interface Guess {
  readonly name: LanguageName;
  readonly probability: number;
}

/** A linear model of languages, trained by `test/plugins/chunkers/code/training`. */
export interface Model {
  /** All languages, most likely first. */
  guess(text: string): Guess[];
}

/** The value of one step of a weight. */
export const WEIGHT_STEP = 1 / 12;

/** Loads the weights: for each bucket one signed byte per language, in the order of `LANGUAGE_NAMES`. */
export async function loadModel(): Promise<Model> {
  const bytes = await readFile(new URL('weights.bin', import.meta.url));
  return createModel(new Int8Array(bytes.buffer, bytes.byteOffset, BUCKETS * LANGUAGE_NAMES.length));
}

function createModel(weights: Int8Array): Model {
  const count = LANGUAGE_NAMES.length;
  return {
    guess(text) {
      const { buckets, values } = featuresOf(text);
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
      return LANGUAGE_NAMES.map((name, index) => ({
        name,
        probability: (likelihoods[index] as number) / sum,
      })).sort((a, b) => b.probability - a.probability);
    },
  };
}
