import type { Vectors } from '../../../../core/contracts/embedding.ts';

export interface Ranked {
  /** Index among the added chunks. */
  readonly chunk: number;
  readonly score: number;
}

/** Length of a list of chunks that is fused with another list, or from which chunks fill a budget. */
export const LISTED = 100;

/** Keeps the best chunks for a question. Among equal scores, the first chunk offered ranks first. */
export class BestChunks {
  readonly #chunks: Int32Array;
  readonly #scores: Float64Array;
  #count = 0;

  /** @param most maximum chunks to keep, at least 1 */
  constructor(most: number) {
    this.#chunks = new Int32Array(most);
    this.#scores = new Float64Array(most);
  }

  offer(chunk: number, score: number): void {
    const chunks = this.#chunks;
    const scores = this.#scores;
    let at = this.#count;
    if (at < scores.length) this.#count++;
    else if (score <= (scores[--at] as number)) return;
    for (; at > 0 && score > (scores[at - 1] as number); at--) {
      chunks[at] = chunks[at - 1] as number;
      scores[at] = scores[at - 1] as number;
    }
    chunks[at] = chunk;
    scores[at] = score;
  }

  list(): Ranked[] {
    const ranked = (_: unknown, at: number) => ({
      chunk: this.#chunks[at] as number,
      score: this.#scores[at] as number,
    });
    return Array.from({ length: this.#count }, ranked);
  }
}

/** Ranks chunks by the cosines of their vectors with the questions' vectors; keeps no vectors of chunks. */
export class Nearest {
  readonly #questions: Vectors;
  readonly #lengths: Float64Array;
  readonly #best: readonly BestChunks[];
  #added = 0;

  /** @param most maximum chunks to find */
  constructor(questions: Vectors, count: number, most: number) {
    this.#questions = questions;
    this.#lengths = lengthsOf(questions, count);
    this.#best = Array.from({ length: count }, () => new BestChunks(most));
  }

  /**
   * Compares further chunks with all questions.
   *
   * @param vectors vectors as long as the questions' vectors
   * @throws the signal's reason once it aborts
   */
  add(vectors: Vectors, count: number, signal: AbortSignal): void {
    const lengths = lengthsOf(vectors, count);
    for (const [question, best] of this.#best.entries()) {
      signal.throwIfAborted();
      for (let chunk = 0; chunk < count; chunk++) {
        const product = dot(this.#questions, question, vectors, chunk);
        const length = (this.#lengths[question] as number) * (lengths[chunk] as number);
        best.offer(this.#added + chunk, length === 0 ? 0 : product / length);
      }
    }
    this.#added += count;
  }

  /** The nearest chunks of a question, nearest first, with cosines as scores. */
  of(question: number): Ranked[] {
    return this.#best[question]?.list() ?? [];
  }
}

function lengthsOf(vectors: Vectors, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, index) => Math.sqrt(dot(vectors, index, vectors, index)));
}

function dot(a: Vectors, indexA: number, b: Vectors, indexB: number): number {
  const { dimensions, values } = a;
  const others = b.values;
  let atA = indexA * dimensions;
  let atB = indexB * dimensions;
  let sum = 0;
  for (const end = atA + dimensions; atA < end; atA++, atB++) {
    sum += (values[atA] as number) * (others[atB] as number);
  }
  return sum;
}

/** Gives top ranks more weight than the usual constant of 60, which ranks worse (`npm run eval -- retrieval`). */
const RANK_CONSTANT = 1;

/** Reciprocal rank fusion: each list adds 1 / (1 + rank) to a chunk's score, ranks from 1. Ties keep text order. */
export function fuse(lists: readonly (readonly Ranked[])[]): Ranked[] {
  const scores = new Map<number, number>();
  for (const list of lists) {
    for (const [at, { chunk }] of list.entries())
      scores.set(chunk, (scores.get(chunk) ?? 0) + 1 / (RANK_CONSTANT + at + 1));
  }
  const fused = Array.from(scores, ([chunk, score]) => ({ chunk, score }));
  return fused.sort((a, b) => b.score - a.score || a.chunk - b.chunk);
}

/** The best chunks whose tokens fit into a budget. A chunk larger than the remaining budget is skipped. */
export function withinBudget(
  ranked: readonly Ranked[],
  budget: number,
  tokensOf: (chunk: number) => number,
): Ranked[] {
  let rest = budget;
  return ranked.slice(0, LISTED).filter(({ chunk }) => {
    const tokens = tokensOf(chunk);
    if (tokens > rest) return false;
    rest -= tokens;
    return true;
  });
}
