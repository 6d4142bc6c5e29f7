import type { Vectors } from '../../../../core/contracts/embedding.ts';
import { BestChunks, type Ranked } from './ranking.ts';

/** Ranks chunks by the cosines between their vectors and those of the questions; vectors of chunks are not kept. */
export class Nearest {
  readonly #questions: Vectors;
  readonly #lengths: Float64Array;
  readonly #best: BestChunks;
  #added = 0;

  /** @param most how many chunks to find */
  constructor(questions: Vectors, count: number, most: number) {
    this.#questions = questions;
    this.#lengths = lengthsOf(questions, count);
    this.#best = new BestChunks(count, most);
  }

  /**
   * Compares further chunks with all questions.
   *
   * @param vectors of the same length as those of the questions
   * @throws the signal's reason once it aborts
   */
  add(vectors: Vectors, count: number, signal: AbortSignal): void {
    const lengths = lengthsOf(vectors, count);
    for (let question = 0; question < this.#lengths.length; question++) {
      signal.throwIfAborted();
      for (let chunk = 0; chunk < count; chunk++) {
        const product = dot(this.#questions, question, vectors, chunk);
        const length = (this.#lengths[question] as number) * (lengths[chunk] as number);
        this.#best.offer(question, this.#added + chunk, length === 0 ? 0 : product / length);
      }
    }
    this.#added += count;
  }

  /** The nearest chunks of a question, nearest first; their scores are the cosines. */
  of(question: number): Ranked[] {
    return this.#best.of(question);
  }
}

function lengthsOf(vectors: Vectors, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, index) => Math.sqrt(dot(vectors, index, vectors, index)));
}

function dot(a: Vectors, indexA: number, b: Vectors, indexB: number): number {
  const { dimensions, values } = a;
  const others = b.values;
  let [atA, atB] = [indexA * dimensions, indexB * dimensions];
  let sum = 0;
  for (const end = atA + dimensions; atA < end; atA++, atB++) {
    sum += (values[atA] as number) * (others[atB] as number);
  }
  return sum;
}
