import type { Vectors } from '../../../../core/contracts/embedding.ts';

/** A chunk that is among the nearest to a question. */
export interface Neighbour {
  /** Its index among the added chunks. */
  readonly chunk: number;
  /** The cosine between its vector and that of the question. */
  readonly score: number;
}

/** Finds the chunks nearest to each question. Among equally near chunks, those added first come first. */
export class Nearest {
  readonly #questions: Vectors;
  readonly #lengths: Float64Array;
  readonly #most: number;
  /** For each question, this many slots, nearest first. */
  readonly #chunks: Int32Array;
  readonly #scores: Float64Array;
  #added = 0;

  /** @param most how many chunks to find */
  constructor(questions: Vectors, count: number, most: number) {
    this.#questions = questions;
    this.#lengths = lengthsOf(questions, count);
    this.#most = most;
    this.#chunks = new Int32Array(count * most);
    this.#scores = new Float64Array(count * most);
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
        this.#offer(question, this.#added + chunk, length === 0 ? 0 : product / length);
      }
    }
    this.#added += count;
  }

  /** The nearest chunks of a question, nearest first. */
  of(question: number): Neighbour[] {
    const from = question * this.#most;
    return Array.from({ length: Math.min(this.#added, this.#most) }, (_, place) => ({
      chunk: this.#chunks[from + place] as number,
      score: this.#scores[from + place] as number,
    }));
  }

  #offer(question: number, chunk: number, score: number): void {
    const [chunks, scores] = [this.#chunks, this.#scores];
    const from = question * this.#most;
    const last = from + this.#most - 1;
    const isFull = chunk >= this.#most;
    if (isFull && score <= (scores[last] as number)) return;
    let at = isFull ? last : from + chunk;
    for (; at > from && score > (scores[at - 1] as number); at--) {
      chunks[at] = chunks[at - 1] as number;
      scores[at] = scores[at - 1] as number;
    }
    chunks[at] = chunk;
    scores[at] = score;
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
