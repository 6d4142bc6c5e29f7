import { matchEnd } from '../../../core/engine/search.ts';
import { lexiconOf } from './abbreviations.ts';
import {
  CLOSER,
  DIGIT,
  isLetter,
  LOWER,
  MARK,
  OPENER,
  SPACE,
  SYMBOL,
  UPPER,
  unitClasses,
} from './characters.ts';
import { stretchesOf } from './lines.ts';
import { type Candidate, isOnlyEmoji, type Prose, readMarks } from './marks.ts';

/**
 * Finds the starts of all sentences except the first. The rules know abbreviations, initials, numbers and ellipses of
 * a language, and the punctuation of all scripts. Closing quotation marks and brackets stay with their sentence. A
 * line break ends a sentence only if it ends a paragraph, list item, heading or verse. White space belongs to the
 * previous sentence, but the indentation of a line belongs to the next. Takes linear time.
 *
 * @param lang the language of the text (BCP 47)
 */
export function findSentences(text: string, lang: string): number[] {
  const prose: Prose = { text, classes: unitClasses(), lexicon: lexiconOf(lang) };
  const cuts: number[] = [];
  const { starts, areProse } = stretchesOf(text);
  let isAfterEmoji = false;
  for (let index = 0; index < starts.length; index++) {
    const start = starts[index] as number;
    const end = starts[index + 1] ?? text.length;
    // A line of emoji belongs to the previous sentence. At the start of the text, it belongs to the next sentence.
    const isEmoji = isOnlyEmoji(text, start, end);
    if (index > 0 && !isEmoji && !isAfterEmoji) cuts.push(start);
    isAfterEmoji = isEmoji && cuts.length === 0 && (index === 0 || isAfterEmoji);
    if (areProse[index]) addSentences(cuts, prose, start, end);
  }
  return SPACED_SCRIPTS.test(text) ? withPhrases(text, cuts) : cuts;
}

function addSentences(cuts: number[], prose: Prose, start: number, end: number): void {
  let from = start;
  for (const item of itemStarts(prose.text.slice(start, end))) {
    addEnds(cuts, prose, from, start + item);
    from = start + item;
    cuts.push(from);
  }
  addEnds(cuts, prose, from, end);
}

/** Thai and Lao do not mark the ends of sentences. They have spaces only between phrases. */
const SPACED_SCRIPTS = /[\u0e00-\u0eff]/;
/** Minimum UTF-16 units of a phrase. A shorter phrase is joined to the next phrase. */
const LONG_ENOUGH = 60;

function withPhrases(text: string, cuts: readonly number[]): number[] {
  const classes = unitClasses();
  const all: number[] = [];
  let from = 0;
  for (const cut of [...cuts, text.length]) {
    for (let at = from + LONG_ENOUGH; at < cut; at++) {
      if (!isSpaced(text.charCodeAt(at)) || classes[text.charCodeAt(at - 1)] !== SPACE) continue;
      if (at - from < LONG_ENOUGH) continue;
      all.push(at);
      from = at;
    }
    if (cut < text.length) all.push(cut);
    from = cut;
  }
  return all;
}

function isSpaced(unit: number): boolean {
  return unit >= 0x0e00 && unit <= 0x0eff;
}

const BULLET = /^\s*([•‣◦▪●⁃])/;
const COUNTED = /^\s*(\(?)(\d{1,3}|[a-zA-Z])(\.\)|[.)])\s/;

/**
 * Finds all items except the first in a list on one line: `1. Flour 2. Water` or `• Flour • Water`. The stretch must
 * begin with an item. Further items must continue the numbering, or have the same bullet.
 */
function itemStarts(stretch: string): number[] {
  const bullet = BULLET.exec(stretch.slice(0, HEAD))?.[1];
  if (bullet !== undefined) return markerOffsets(stretch, () => bullet);
  const [, open = '', first, close = ''] = COUNTED.exec(stretch.slice(0, HEAD)) ?? [];
  if (first === undefined) return [];
  let count = first;
  return markerOffsets(stretch, () => {
    count = countOn(count);
    return `${open}${count}${close} `;
  });
}

const HEAD = 40;

function countOn(count: string): string {
  const number = Number(count);
  return Number.isNaN(number) ? String.fromCharCode(count.charCodeAt(0) + 1) : String(number + 1);
}

function markerOffsets(stretch: string, nextMark: () => string): number[] {
  const offsets: number[] = [];
  let mark = nextMark();
  let from = HEAD_OF_ITEM;
  for (;;) {
    const at = stretch.indexOf(mark, from);
    if (at === -1) return offsets;
    from = at + mark.length;
    if (!/\s/.test(stretch.charAt(at - 1))) continue;
    offsets.push(at);
    mark = nextMark();
  }
}

const HEAD_OF_ITEM = 2;

function addEnds(cuts: number[], prose: Prose, start: number, end: number): void {
  const { text, classes } = prose;
  let sentence = start;
  let at = start;
  while (at < end) {
    const type = classes[text.charCodeAt(at)] as number;
    if (type < MARK) {
      at++;
      continue;
    }
    const marks = readMarks(text, classes, at, end, sentence);
    at = marks.closed;
    if (marks.after >= end || marks.isPart) continue;
    const next = skipOpeners(text, classes, marks.after, end);
    const nextClass = next < end ? (classes[text.charCodeAt(next)] as number) : SYMBOL;
    if (!isEnd(prose, { ...marks, sentence, next, nextClass })) continue;
    sentence = cutAfter(text, marks.closed, marks.after);
    at = sentence;
    cuts.push(sentence);
  }
}

function skipOpeners(text: string, classes: Uint8Array, from: number, end: number): number {
  let at = from;
  for (; at < end; at++) {
    const type = classes[text.charCodeAt(at)];
    if (type !== OPENER && type !== CLOSER && type !== SPACE) break;
  }
  return at;
}

/** The start of the next sentence. White space belongs to the previous sentence, except a line's indentation. */
function cutAfter(text: string, closed: number, after: number): number {
  const newline = text.slice(closed, after).lastIndexOf('\n');
  return newline === -1 ? after : closed + newline + 1;
}

function isEnd(prose: Prose, candidate: Candidate): boolean {
  const { text, classes } = prose;
  if (candidate.isFull) return !isQuoted(text, candidate);
  if (candidate.after === candidate.closed) return isGlued(prose, candidate);
  if (CONTINUES.test(text.charAt(candidate.next))) return false;
  if (candidate.dots === 3 && candidate.isSpaced) return false;
  const isSmall = candidate.nextClass === LOWER && classes[text.charCodeAt(candidate.next + 1)] !== UPPER;
  if (isSmall) return text.charAt(candidate.marked - 1) === '?' && isBare(candidate);
  if (candidate.isEllipsis) return endsAtEllipsis(prose, candidate);
  return candidate.dots !== 1 || candidate.marked - candidate.at > 1 || endsAtFullStop(prose, candidate);
}

function isBare({ marked, closed, after, next }: Candidate): boolean {
  return closed === marked && next === after;
}

/** If one of these characters follows the white space after a mark, the sentence continues. */
const CONTINUES = /[,;:&/+=%|]/;

/** Whether an ellipsis ends a sentence: not if a number or the English pronoun `I` follows. */
function endsAtEllipsis({ text, classes }: Prose, { next, nextClass, dots }: Candidate): boolean {
  if (dots > 3) return true;
  const isPronoun = text.charAt(next) === 'I' && classes[text.charCodeAt(next + 1)] !== LOWER;
  return nextClass !== DIGIT && !isPronoun;
}

const SAYS =
  /(?:と|って|の|が|を|は(?!い))|\p{Script=Han}{1,4}?(?:[说說问問喊叫]|(?<!知)道)道?[。，：,:“「]/uy;

/** Whether the sentence continues after a quotation: a speaker (`他说`) or a Japanese particle follows. */
function isQuoted(text: string, { marked, closed, after }: Candidate): boolean {
  if (closed === marked || after > closed) return false;
  return matchEnd(SAYS, text, after) !== -1;
}

/** English words that, after a full stop, begin a sentence even if there is no space before them. */
const UNMISTAKABLE = /(?:The|This|That|These|Those|There|They|She|You|However|Today|Mr|Mrs|Dr)[ .]/y;

/** Whether the space between two sentences is missing, as in texts from PDF files: `a lot.That is`. */
function isGlued({ text, classes }: Prose, { at, dots, after, sentence }: Candidate): boolean {
  if (dots !== 1 || classes[text.charCodeAt(after)] !== UPPER) return false;
  if (matchEnd(UNMISTAKABLE, text, after) === -1) return false;
  let from = at;
  while (from > sentence && at - from < MAX_WORD_LENGTH && isOfWord(text, classes, from - 1)) from--;
  return at - from > 1 && (from === sentence || classes[text.charCodeAt(from - 1)] === SPACE);
}

function isOfWord(text: string, classes: Uint8Array, at: number): boolean {
  const type = classes[text.charCodeAt(at)];
  return (
    type === LOWER ||
    type === DIGIT ||
    (type === UPPER && classes[text.charCodeAt(at - 1)] === SPACE) ||
    text.charAt(at) === ','
  );
}

function endsAtFullStop(prose: Prose, candidate: Candidate): boolean {
  const { text, lexicon } = prose;
  const from = wordStart(prose, candidate);
  const word = text.slice(from, candidate.at);
  if (word === '') return true;
  if (COUNTER.test(word) && isFirst(prose, candidate, from)) return false;
  if (NUMBER.test(word)) return !(lexicon.ordinals && ORDINAL.test(word) && staysAfter(prose, candidate));
  if (word === 'I' && prose.classes[text.charCodeAt(wordBefore(prose, from))] === LOWER) return true;
  if (word.length === 1 && matchEnd(LETTER_WITH_STOP, text, candidate.next) !== -1) return false;
  const whole = word.length === 1 ? joinLetters(prose, candidate, from) + word : word;
  return endsAfter(prose, candidate, whole);
}

/** The number of an item or a section: `2`, `1.3`, `b`, `IV`. */
const COUNTER = /^(?:\d{1,3}(?:\.\d{1,3})*|\p{L}|[IVX]{1,5})$/u;
const NUMBER = /^[\d.,]*\d$/;
const ORDINAL = /^\d{1,2}$/;
const ABBREVIATED = /^(?:\p{L}\.-?)+\p{L}$/u;
const LETTER_WITH_STOP = /\p{L}\./uy;
const INITIAL = /^\p{Lu}$/u;
const HOUR = /^[ap]\.m$/i;
const MAX_WORD_LENGTH = 24;

function endsAfter(prose: Prose, candidate: Candidate, word: string): boolean {
  const { lexicon } = prose;
  const has = (words: ReadonlySet<string>) => words.has(word) || words.has(word.toLowerCase());
  if (has(lexicon.number) && isNumbered(prose, candidate)) return false;
  if (has(lexicon.before)) return false;
  if (has(lexicon.last)) return true;
  if (HOUR.test(word) && candidate.nextClass === UPPER) return !isOpening(prose, candidate);
  if (has(lexicon.within) || ABBREVIATED.test(word)) return !staysAfter(prose, candidate);
  if (has(lexicon.number)) return true;
  return !(INITIAL.test(word) && staysAfter(prose, candidate));
}

function staysAfter(prose: Prose, candidate: Candidate): boolean {
  if (candidate.nextClass !== UPPER) return true;
  return !prose.lexicon.starters.has(wordFrom(prose, candidate.next).toLowerCase());
}

function isNumbered(prose: Prose, { next, nextClass }: Candidate): boolean {
  if (nextClass === DIGIT || /[#§№]/.test(prose.text.charAt(next))) return true;
  return /^(?:[A-Z]|[IVXLC]+)$/.test(wordFrom(prose, next));
}

/** Whether a sentence begins with a time of day, so the time does not end it: `At 5 a.m. Mr. Smith left.` */
function isOpening({ text }: Prose, { sentence, at }: Candidate): boolean {
  return at - sentence < MAX_WORD_LENGTH && text.slice(sentence, at).trim().split(/\s+/).length < 4;
}

function wordFrom({ text, classes }: Prose, at: number): string {
  let to = at;
  while (to - at < MAX_WORD_LENGTH && isLetter(classes[text.charCodeAt(to)] as number)) to++;
  return text.slice(at, to);
}

function wordStart({ text, classes }: Prose, { at, sentence }: Candidate): number {
  let from = at;
  while (from > sentence && at - from < MAX_WORD_LENGTH) {
    const type = classes[text.charCodeAt(from - 1)] as number;
    if (!isLetter(type) && type !== DIGIT && !/[.,°§№-]/.test(text.charAt(from - 1))) break;
    from--;
  }
  return from;
}

function isFirst({ text, classes }: Prose, { sentence }: Candidate, from: number): boolean {
  if (from - sentence > MAX_WORD_LENGTH) return false;
  for (let at = sentence; at < from; at++) {
    const type = classes[text.charCodeAt(at)];
    if (type !== SPACE && type !== OPENER && type !== CLOSER && !/[•‣◦▪●⁃+]/.test(text.charAt(at)))
      return false;
  }
  return true;
}

function wordBefore({ text, classes }: Prose, from: number): number {
  let at = from - 1;
  while (at >= 0 && from - at < MAX_WORD_LENGTH && classes[text.charCodeAt(at)] === SPACE) at--;
  let first = -1;
  while (at >= 0 && from - at < MAX_WORD_LENGTH && isLetter(classes[text.charCodeAt(at)] as number))
    first = at--;
  return first;
}

/** The single letters with full stops before the letter at `from`, without spaces: `z.` for the `B` of `z. B.` */
function joinLetters({ text, classes }: Prose, { sentence }: Candidate, from: number): string {
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
