import { BestChunks, type Ranked } from './ranking.ts';

/** Robertson's constants: how soon repeating a term counts less, and how much the length of a chunk counts. */
const K1 = 1.2;
const B = 0.75;

/** The chunks of each term, and how often each of them has it, term after term. */
interface Postings {
  /** Where the chunks of each term begin, and where the last ones end. */
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

  /** The best chunks that have a term of the question. */
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

  /** Turns the terms of chunks into chunks of terms. */
  #invert(): Postings {
    const added = this.#added;
    this.#added = [];
    const starts = new Int32Array(this.#ids.size + 1);
    // The last chunk that has each term, so that one that repeats it counts once.
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

/** Adds what a term is worth to the scores of the chunks that have it. */
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
 * The terms of a text, the same way for chunks and questions, in any language and in code: after NFKC, the runs of
 * letters, marks, digits and low lines, in lower case. An identifier is a term, and so are its words:
 * `parseHTTPHeader_2` gives itself, `parse`, `http`, `header` and `2`. Scripts that write no spaces between words, and
 * Korean, give the pairs of neighbouring characters instead; a character without neighbours is itself a term.
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
/** In texts so long that one word could overflow the stack of an expression, longer runs count as several. */
const SHORT_RUN = /[\p{L}\p{M}\p{N}_]{1,1000}/gu;
const LONG_TEXT = 100_000;
/** A word without inner boundaries, such as most. */
const PLAIN = /^[\p{Lu}\p{Lt}]?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+$/u;
/** The words of an identifier: capitals not followed by a small letter, a word with at most one capital, or digits. */
const INNER =
  /[\p{Lu}\p{Lt}]+(?![\p{Ll}\p{Lo}\p{Lm}\p{M}])|[\p{Lu}\p{Lt}]?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu;

const NOT_ASCII = /[^\0-\x7f]/;
/** Normalising sorts the marks of a character, in quadratic time; the Stream-Safe Text Format of UAX #15 limits them. */
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
