import { matchEnd } from '../../../core/engine/search.ts';
import { CLOSER, DIGIT, isLetter, LOWER, OPENER, SPACE, UPPER } from './characters.ts';
import type { Place, Prose } from './marks.ts';

/** Whether a single full stop, followed by white space and no small letter, ends a sentence. */
export function endsAtFullStop(prose: Prose, place: Place): boolean {
  const { text, lexicon } = prose;
  const from = wordStart(prose, place);
  const word = text.slice(from, place.at);
  if (word === '') return true;
  if (COUNTER.test(word) && isFirst(prose, place, from)) return false;
  if (NUMBER.test(word)) return !(lexicon.ordinals && ORDINAL.test(word) && staysAfter(prose, place));
  if (word === 'I' && prose.classes[text.charCodeAt(wordBefore(prose, from))] === LOWER) return true;
  if (word.length === 1 && matchEnd(LETTER_WITH_STOP, text, place.next) !== -1) return false;
  const whole = word.length === 1 ? joinLetters(prose, place, from) + word : word;
  return endsAfter(prose, place, whole);
}

/** The number of a list item or a section: `2`, `1.3`, `b`, `IV`. */
const COUNTER = /^(?:\d{1,3}(?:\.\d{1,3})*|\p{L}|[IVX]{1,5})$/u;
const NUMBER = /^[\d.,]*\d$/;
const ORDINAL = /^\d{1,2}$/;
const ABBREVIATED = /^(?:\p{L}\.-?)+\p{L}$/u;
const LETTER_WITH_STOP = /\p{L}\./uy;
const INITIAL = /^\p{Lu}$/u;
const HOUR = /^[ap]\.m$/i;
const MAX_WORD_LENGTH = 24;

function endsAfter(prose: Prose, place: Place, word: string): boolean {
  const { lexicon } = prose;
  const has = (words: ReadonlySet<string>) => words.has(word) || words.has(word.toLowerCase());
  if (has(lexicon.number) && isNumbered(prose, place)) return false;
  if (has(lexicon.before)) return false;
  if (has(lexicon.last)) return true;
  if (HOUR.test(word) && place.nextClass === UPPER) return !isOpening(prose, place);
  if (has(lexicon.within) || ABBREVIATED.test(word)) return !staysAfter(prose, place);
  if (has(lexicon.number)) return true;
  return !(INITIAL.test(word) && staysAfter(prose, place));
}

/** Whether what follows continues the sentence, judging by its first word. */
function staysAfter(prose: Prose, place: Place): boolean {
  if (place.nextClass !== UPPER) return true;
  return !prose.lexicon.starters.has(wordFrom(prose, place.next).toLowerCase());
}

/** Whether a number, a letter or a Roman numeral follows. */
function isNumbered(prose: Prose, { next, nextClass }: Place): boolean {
  if (nextClass === DIGIT || /[#§№]/.test(prose.text.charAt(next))) return true;
  return /^(?:[A-Z]|[IVXLC]+)$/.test(wordFrom(prose, next));
}

/** Whether a time of day opens its sentence: `At 5 a.m. Mr. Smith left.` */
function isOpening({ text }: Prose, { sentence, at }: Place): boolean {
  return at - sentence < MAX_WORD_LENGTH && text.slice(sentence, at).trim().split(/\s+/).length < 4;
}

/** The letters of words from `at` on, without apostrophes and what follows them. */
function wordFrom({ text, classes }: Prose, at: number): string {
  let to = at;
  while (to - at < MAX_WORD_LENGTH && isLetter(classes[text.charCodeAt(to)] as number)) to++;
  return text.slice(at, to);
}

/** Where the word before the full stop begins; full stops and hyphens are part of it. */
function wordStart({ text, classes }: Prose, { at, sentence }: Place): number {
  let from = at;
  while (from > sentence && at - from < MAX_WORD_LENGTH) {
    const type = classes[text.charCodeAt(from - 1)] as number;
    if (!isLetter(type) && type !== DIGIT && !/[.,°§№-]/.test(text.charAt(from - 1))) break;
    from--;
  }
  return from;
}

/** Whether a word begins its sentence, ignoring bullets, quotation marks and brackets. */
function isFirst({ text, classes }: Prose, { sentence }: Place, from: number): boolean {
  if (from - sentence > MAX_WORD_LENGTH) return false;
  for (let at = sentence; at < from; at++) {
    const type = classes[text.charCodeAt(at)];
    if (type !== SPACE && type !== OPENER && type !== CLOSER && !/[•‣◦▪●⁃+]/.test(text.charAt(at)))
      return false;
  }
  return true;
}

/** The offset of the first letter of the previous word, or -1. */
function wordBefore({ text, classes }: Prose, from: number): number {
  let at = from - 1;
  while (at >= 0 && from - at < MAX_WORD_LENGTH && classes[text.charCodeAt(at)] === SPACE) at--;
  let first = -1;
  while (at >= 0 && from - at < MAX_WORD_LENGTH && isLetter(classes[text.charCodeAt(at)] as number))
    first = at--;
  return first;
}

/** The single letters with full stops before a letter, without spaces: `z.` of `z. B.` */
function joinLetters({ text, classes }: Prose, { sentence }: Place, from: number): string {
  let letters = '';
  let at = from;
  while (letters.length < 6) {
    let dot = at - 1;
    while (dot > sentence && at - dot < 3 && classes[text.charCodeAt(dot)] === SPACE) dot--;
    const isSingle =
      dot > sentence &&
      text.charAt(dot) === '.' &&
      isLetter(classes[text.charCodeAt(dot - 1)] as number) &&
      (dot - 1 === sentence || !isLetter(classes[text.charCodeAt(dot - 2)] as number));
    if (!isSingle) break;
    at = dot - 1;
    letters = `${text.charAt(at)}.${letters}`;
  }
  return letters;
}
