import { BestChunks, type Ranked } from './ranking.ts';
import { termsOf } from './terms.ts';

/** Robertson's constants: how soon repeating a term counts less, and how much the length of a chunk counts. */
const K1 = 1.2;
const B = 0.75;

/** The chunks of each term, and how often each has it; those of one term follow each other. */
interface Postings {
  /** Where those of each term begin; the last one is where all end. */
  readonly starts: Int32Array;
  readonly chunks: Int32Array;
  readonly counts: Int32Array;
  /** For each chunk, K1 scaled by its length. */
  readonly norms: Float64Array;
  /** Scores of one question, reused. */
  readonly scores: Float64Array;
}

/**
 * Ranks chunks by BM25, with the inverse document frequency of Lucene, which is never negative. A term that a question
 * repeats counts once. Add all chunks before the first search.
 */
export class Bm25 {
  readonly #ids = new Map<string, number>();
  /** For each term, where it is in `#pairs` of the last chunk that has it. */
  readonly #latest: number[] = [];
  /** The terms of each chunk, each followed by how often the chunk has it. */
  #pairs = new Int32Array(1 << 12);
  #used = 0;
  /** Where the pairs of each chunk end, and how many terms it has, repeated ones too. */
  readonly #ends: number[] = [];
  readonly #lengths: number[] = [];
  #postings: Postings | undefined;

  add(text: string): void {
    const from = this.#used;
    const terms = termsOf(text);
    this.#grow(2 * terms.length);
    for (const term of terms) {
      const id = this.#ids.get(term) ?? this.#newId(term);
      const latest = this.#latest[id] as number;
      if (latest >= from) (this.#pairs[latest + 1] as number)++;
      else {
        this.#latest[id] = this.#used;
        this.#pairs[this.#used++] = id;
        this.#pairs[this.#used++] = 1;
      }
    }
    this.#ends.push(this.#used);
    this.#lengths.push(terms.length);
  }

  /** The best chunks that have a term of the question. */
  search(question: string, most: number): Ranked[] {
    this.#postings ??= this.#invert();
    const { scores } = this.#postings;
    for (const term of new Set(termsOf(question))) {
      const id = this.#ids.get(term);
      if (id !== undefined) this.#score(id, this.#postings);
    }
    const best = new BestChunks(1, most);
    for (let chunk = 0; chunk < scores.length; chunk++) {
      const score = scores[chunk] as number;
      if (score > 0) best.offer(0, chunk, score);
    }
    scores.fill(0);
    return best.of(0);
  }

  #score(id: number, { starts, chunks, counts, norms, scores }: Postings): void {
    const [from, to] = [starts[id] as number, starts[id + 1] as number];
    const frequency = Math.log(1 + (scores.length - (to - from) + 0.5) / (to - from + 0.5));
    for (let at = from; at < to; at++) {
      const [chunk, count] = [chunks[at] as number, counts[at] as number];
      (scores[chunk] as number) += (frequency * count * (K1 + 1)) / (count + (norms[chunk] as number));
    }
  }

  #newId(term: string): number {
    const id = this.#ids.size;
    this.#ids.set(term, id);
    this.#latest.push(-1);
    return id;
  }

  #grow(by: number): void {
    const { length } = this.#pairs;
    if (this.#used + by <= length) return;
    const wider = new Int32Array(Math.max(Math.ceil(length * 1.5), this.#used + by));
    wider.set(this.#pairs.subarray(0, this.#used));
    this.#pairs = wider;
  }

  /** Turns the terms of chunks into chunks of terms. */
  #invert(): Postings {
    const [pairs, used] = [this.#pairs, this.#used];
    this.#pairs = new Int32Array(0);
    this.#latest.length = 0;
    const starts = new Int32Array(this.#ids.size + 1);
    for (let at = 0; at < used; at += 2) (starts[(pairs[at] as number) + 1] as number)++;
    for (let id = 0; id < this.#ids.size; id++) (starts[id + 1] as number) += starts[id] as number;
    const next = starts.slice();
    const [chunks, counts] = [new Int32Array(used / 2), new Int32Array(used / 2)];
    for (let chunk = 0, at = 0; chunk < this.#ends.length; chunk++) {
      for (const end = this.#ends[chunk] as number; at < end; at += 2) {
        const place = (next[pairs[at] as number] as number)++;
        chunks[place] = chunk;
        counts[place] = pairs[at + 1] as number;
      }
    }
    const mean = this.#lengths.reduce((sum, length) => sum + length, 0) / this.#lengths.length || 1;
    const norms = Float64Array.from(this.#lengths, (length) => K1 * (1 - B + (B * length) / mean));
    return { starts, chunks, counts, norms, scores: new Float64Array(norms.length) };
  }
}
