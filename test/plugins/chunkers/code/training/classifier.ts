import { BUCKETS, type Features, WEIGHT_STEP } from '../../../../../plugins/chunkers/code/detection/model.ts';
import { LANGUAGE_NAMES } from '../../../../../plugins/chunkers/code/manifest.ts';

/** A text as the model sees it, and its language's place in `LANGUAGE_NAMES`. */
export interface Sample {
  readonly features: Features;
  readonly language: number;
}

const COUNT = LANGUAGE_NAMES.length;
/** Gradients below this are not worth the work. */
const SMALL = 1e-6;

/** Weights while they are trained: softmax regression with AdaGrad. */
export function createClassifier() {
  const weights = new Float32Array(BUCKETS * COUNT);
  const squares = new Float32Array(BUCKETS * COUNT).fill(SMALL);

  function likelihoodsOf({ buckets, values }: Features): Float64Array {
    const scores = new Float64Array(COUNT);
    buckets.forEach((bucket, index) => {
      const value = values[index] as number;
      for (let at = 0; at < COUNT; at++) {
        scores[at] = (scores[at] as number) + value * (weights[bucket * COUNT + at] as number);
      }
    });
    const largest = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - largest));
    const sum = powers.reduce((total, one) => total + one, 0);
    return powers.map((power) => power / sum);
  }

  function move({ buckets, values }: Features, errors: Float64Array, rate: number): void {
    buckets.forEach((bucket, index) => {
      for (let at = 0; at < COUNT; at++) {
        const gradient = (errors[at] as number) * (values[index] as number);
        if (Math.abs(gradient) < SMALL) continue;
        const place = bucket * COUNT + at;
        const square = (squares[place] as number) + gradient * gradient;
        squares[place] = square;
        weights[place] = (weights[place] as number) - (rate * gradient) / Math.sqrt(square);
      }
    });
  }

  return {
    /** Learns from samples, one after the other; gives their mean loss. */
    learn(samples: readonly Sample[], rate: number): number {
      let loss = 0;
      for (const { features, language } of samples) {
        const errors = likelihoodsOf(features);
        loss -= Math.log((errors[language] as number) + Number.EPSILON);
        errors[language] = (errors[language] as number) - 1;
        move(features, errors, rate);
      }
      return loss / samples.length;
    },
    /** The weights as signed bytes, `LANGUAGE_NAMES.length` for each bucket. */
    weights: () =>
      Int8Array.from(weights, (weight) => Math.max(-127, Math.min(127, Math.round(weight / WEIGHT_STEP)))),
  };
}
