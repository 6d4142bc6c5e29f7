/** A chunk that was found. */
export interface Ranked {
  /** Its index among the added chunks. */
  readonly chunk: number;
  readonly score: number;
}

/** How long a list is that is fused with another one, or that a budget is spent on. */
export const LISTED = 100;

/** Keeps the best chunks of each question. Among chunks with equal scores, those offered first come first. */
export class BestChunks {
  readonly #most: number;
  /** How many each question has. */
  readonly #counts: Int32Array;
  /** For each question, this many slots, best first. */
  readonly #chunks: Int32Array;
  readonly #scores: Float64Array;

  /** @param most how many chunks to keep */
  constructor(questions: number, most: number) {
    this.#most = most;
    this.#counts = new Int32Array(questions);
    this.#chunks = new Int32Array(questions * most);
    this.#scores = new Float64Array(questions * most);
  }

  offer(question: number, chunk: number, score: number): void {
    const [chunks, scores] = [this.#chunks, this.#scores];
    const from = question * this.#most;
    const count = this.#counts[question] as number;
    const isFull = count === this.#most;
    let at = isFull ? from + count - 1 : from + count;
    if (isFull && score <= (scores[at] as number)) return;
    if (!isFull) this.#counts[question] = count + 1;
    for (; at > from && score > (scores[at - 1] as number); at--) {
      chunks[at] = chunks[at - 1] as number;
      scores[at] = scores[at - 1] as number;
    }
    chunks[at] = chunk;
    scores[at] = score;
  }

  /** The best chunks of a question, best first. */
  of(question: number): Ranked[] {
    const from = question * this.#most;
    return Array.from({ length: this.#counts[question] as number }, (_, at) => ({
      chunk: this.#chunks[from + at] as number,
      score: this.#scores[from + at] as number,
    }));
  }
}

/** Measured: 60, as is usual, ranks worse than 1, which trusts the first ranks of a list. */
const RANK_CONSTANT = 1;

/** Reciprocal rank fusion: each list gives a chunk 1 / (1 + its rank, from 1). Equal ones keep the order of the text. */
export function fuse(lists: readonly (readonly Ranked[])[]): Ranked[] {
  const scores = new Map<number, number>();
  for (const list of lists) {
    for (const [at, { chunk }] of list.entries())
      scores.set(chunk, (scores.get(chunk) ?? 0) + 1 / (RANK_CONSTANT + at + 1));
  }
  const fused = Array.from(scores, ([chunk, score]) => ({ chunk, score }));
  return fused.sort((a, b) => b.score - a.score || a.chunk - b.chunk);
}

/**
 * The chunks that a budget buys: best first, each that fits the rest of it is taken, and one that does not is passed
 * over.
 */
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
