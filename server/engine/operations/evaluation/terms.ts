/**
 * The terms of a text, the same way for chunks and questions, in any language and in code: after NFKC, the runs of
 * letters, marks, digits and low lines, in lower case. An identifier is a term, and so are its words:
 * `parseHTTPHeader_2` gives itself, `parse`, `http`, `header` and `2`. Scripts that write no spaces between words, and
 * Korean, give the pairs of neighbouring characters instead; a character without neighbours is itself a term.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [run] of normalized(text).matchAll(RUN)) {
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
  let before: string | undefined;
  let count = 0;
  for (const character of part) {
    if (before !== undefined) terms.push(before + character);
    before = character;
    count++;
  }
  if (count === 1) terms.push(part);
}
