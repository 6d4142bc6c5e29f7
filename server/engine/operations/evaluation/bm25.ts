import { BestChunks, type Ranked } from './ranking.ts';

/** Robertson's constants: K1 limits the effect of a repeated term, B sets the effect of a chunk's length. */
const K1 = 1.2;
const B = 0.75;

/** Inverted index, ordered by term: the chunks that contain a term, and the term's frequency in each chunk. */
interface Postings {
  /** Index in `chunks` of each term's first chunk; finally the length of `chunks`. */
  readonly starts: Int32Array;
  readonly chunks: Int32Array;
  readonly counts: Int32Array;
  /** K1 scaled by the length of each chunk. */
  readonly norms: Float64Array;
  /** Scores of one question, reused for the next question. */
  readonly scores: Float64Array;
}

/**
 * Ranks chunks by BM25 with Lucene's inverse document frequency, which is never negative. A repeated term of
 * a question counts once. Add all chunks before the first search.
 */
export class Bm25 {
  readonly #ids = new Map<string, number>();
  /** The terms of each chunk, until they are inverted. */
  #added: Int32Array[] = [];
  #postings: Postings | undefined;

  add(text: string): void {
    const ids = this.#ids;
    const terms = termsOf(text);
    const own = new Int32Array(terms.length);
    for (let at = 0; at < terms.length; at++) {
      const term = terms[at] as string;
      let id = ids.get(term);
      if (id === undefined) {
        id = ids.size;
        ids.set(term, id);
      }
      own[at] = id;
    }
    this.#added.push(own);
  }

  search(question: string, most: number): Ranked[] {
    this.#postings ??= this.#invert();
    const { scores } = this.#postings;
    for (const term of new Set(termsOf(question))) {
      const id = this.#ids.get(term);
      if (id !== undefined) score(id, this.#postings);
    }
    const best = new BestChunks(most);
    for (let chunk = 0; chunk < scores.length; chunk++) {
      const score = scores[chunk] as number;
      if (score > 0) best.offer(chunk, score);
    }
    scores.fill(0);
    return best.list();
  }

  #invert(): Postings {
    const added = this.#added;
    this.#added = [];
    const starts = new Int32Array(this.#ids.size + 1);
    // The last chunk counted for each term, so that a chunk counts once even if it repeats the term.
    const latest = new Int32Array(this.#ids.size).fill(-1);
    for (const [chunk, own] of added.entries()) {
      for (const id of own) {
        if (latest[id] !== chunk) (starts[id + 1] as number)++;
        latest[id] = chunk;
      }
    }
    for (let id = 0; id < latest.length; id++) (starts[id + 1] as number) += starts[id] as number;
    const next = starts.slice();
    const chunks = new Int32Array(starts.at(-1) ?? 0);
    const counts = new Int32Array(chunks.length);
    for (const [chunk, own] of added.entries()) {
      for (const id of own) {
        const last = (next[id] as number) - 1;
        if (last >= (starts[id] as number) && chunks[last] === chunk) (counts[last] as number)++;
        else {
          chunks[last + 1] = chunk;
          counts[last + 1] = 1;
          (next[id] as number)++;
        }
      }
    }
    const mean = added.reduce((sum, { length }) => sum + length, 0) / added.length || 1;
    const norms = Float64Array.from(added, ({ length }) => K1 * (1 - B + (B * length) / mean));
    return { starts, chunks, counts, norms, scores: new Float64Array(norms.length) };
  }
}

function score(id: number, { starts, chunks, counts, norms, scores }: Postings): void {
  const from = starts[id] as number;
  const to = starts[id + 1] as number;
  const frequency = Math.log(1 + (scores.length - (to - from) + 0.5) / (to - from + 0.5));
  for (let at = from; at < to; at++) {
    const chunk = chunks[at] as number;
    const count = counts[at] as number;
    (scores[chunk] as number) += (frequency * count * (K1 + 1)) / (count + (norms[chunk] as number));
  }
}

/**
 * The terms of a chunk or a question, in any language and in code. After NFKC, a term is a run of letters, marks,
 * digits and low lines, in lower case. An identifier and each of its words are terms: `parseHTTPHeader_2` gives
 * itself, `parse`, `http`, `header` and `2`. Korean, and scripts without spaces between words, give pairs of
 * neighbouring characters. A character without neighbours is itself a term.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  const whole = normalized(text);
  for (const [run] of whole.matchAll(whole.length > LONG_TEXT ? SHORT_RUN : RUN)) {
    if (!UNSPACED.test(run)) addWord(terms, run);
    else for (const [part] of run.matchAll(PART)) (UNSPACED.test(part) ? addPairs : addWord)(terms, part);
  }
  return terms;
}

const NO_SPACES = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script=${script}}`)
  .concat('\u30fc')
  .join('');
const UNSPACED = new RegExp(`[${NO_SPACES}]`, 'u');
const PART = new RegExp(`[${NO_SPACES}]+|[^${NO_SPACES}]+`, 'gu');
const RUN = /[\p{L}\p{M}\p{N}_]+/gu;
/** In long texts, longer runs are split into several terms, so as not to overflow the regular expression's stack. */
const SHORT_RUN = /[\p{L}\p{M}\p{N}_]{1,1000}/gu;
const LONG_TEXT = 100_000;
/** A word that cannot be split further, like most words. */
const PLAIN = /^[\p{Lu}\p{Lt}]?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+$/u;
/** The words of an identifier: capitals not followed by a small letter, a word with at most one capital, or digits. */
const INNER =
  /[\p{Lu}\p{Lt}]+(?![\p{Ll}\p{Lo}\p{Lm}\p{M}])|[\p{Lu}\p{Lt}]?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu;

const NOT_ASCII = /[^\0-\x7f]/;
/** Runs of marks are split after 30, as in UAX #15 (Stream-Safe Text Format): NFKC sorts a run in quadratic time. */
const MANY_MARKS = /[\p{M}\uff9e\uff9f]{30}(?=[\p{M}\uff9e\uff9f])/gu;

function normalized(text: string): string {
  return NOT_ASCII.test(text) ? text.replace(MANY_MARKS, '$&\u034f').normalize('NFKC') : text;
}

function addWord(terms: string[], run: string): void {
  if (PLAIN.test(run)) return void terms.push(run.toLowerCase());
  const words = run.match(INNER) ?? [];
  if (words.length > 1) terms.push(run.toLowerCase());
  for (const word of words) terms.push(word.toLowerCase());
}

function addPairs(terms: string[], part: string): void {
  const characters = [...part];
  if (characters.length === 1) terms.push(part);
  for (let at = 1; at < characters.length; at++) terms.push(`${characters[at - 1]}${characters[at]}`);
}
