import { matchEnd } from '../../../core/engine/search.ts';
import { lexiconOf } from './abbreviations.ts';
import { CLOSER, DIGIT, LOWER, MARK, OPENER, SPACE, SYMBOL, UPPER, unitClasses } from './characters.ts';
import { isOnlyEmoji } from './emoji.ts';
import { endsAtFullStop } from './full-stops.ts';
import { stretchesOf } from './lines.ts';
import { type Place, type Prose, readMarks } from './marks.ts';

/**
 * Where sentences of prose begin, except the first. The rules cover abbreviations, initials, numbers and ellipses in a language (BCP
 * 47); quotation marks and brackets, which stay with their sentence; line breaks, which end a sentence only with its
 * paragraph, item, heading or verse; and the punctuation of all scripts. White space goes with the sentence before
 * it, the indentation of a line with the sentence after it. Time is linear in the text.
 */
export function findSentences(text: string, lang: string): number[] {
  const prose: Prose = { text, classes: unitClasses(), lexicon: lexiconOf(lang) };
  const cuts: number[] = [];
  const { starts, areProse } = stretchesOf(text);
  let isAfterEmoji = false;
  for (let index = 0; index < starts.length; index++) {
    const [start, end] = [starts[index] as number, starts[index + 1] ?? text.length];
    // A line of emoji goes with the sentence before it, or at the beginning of the text with the next one.
    const isEmoji = isOnlyEmoji(text, start, end);
    if (index > 0 && !isEmoji && !isAfterEmoji) cuts.push(start);
    isAfterEmoji = isEmoji && cuts.length === 0 && (index === 0 || isAfterEmoji);
    if (areProse[index]) addSentences(cuts, prose, start, end);
  }
  return SPACED_SCRIPTS.test(text) ? withPhrases(text, cuts) : cuts;
}

function addSentences(cuts: number[], prose: Prose, start: number, end: number): void {
  let from = start;
  for (const place of itemStarts(prose.text.slice(start, end))) {
    addEnds(cuts, prose, from, start + place);
    from = start + place;
    cuts.push(from);
  }
  addEnds(cuts, prose, from, end);
}

/** Thai and Lao, which do not mark the ends of sentences, and put spaces only between phrases. */
const SPACED_SCRIPTS = /[\u0e00-\u0eff]/;
/** A phrase of fewer units joins the next one. */
const LONG_ENOUGH = 60;

/** The same cuts, plus cuts between the phrases of long sentences in scripts without sentence marks. */
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

/** Whether a unit is one of `SPACED_SCRIPTS`. */
function isSpaced(unit: number): boolean {
  return unit >= 0x0e00 && unit <= 0x0eff;
}

/** Lists written on one line: `1. Flour 2. Water 3. Salt`, `• Flour • Water`, `a) Flour b) Water`. */

const BULLET = /^\s*([•‣◦▪●⁃])/;
const COUNTED = /^\s*(\(?)(\d{1,3}|[a-zA-Z])(\.\)|[.)])\s/;

/**
 * Where the items of a list within a stretch of text begin, except the first. The stretch has to begin with an item,
 * and each further one has to continue the numbering, or to have the same bullet.
 */
function itemStarts(stretch: string): number[] {
  const bullet = BULLET.exec(stretch.slice(0, HEAD))?.[1];
  if (bullet !== undefined) return placesOf(stretch, () => bullet);
  const [, open = '', first, close = ''] = COUNTED.exec(stretch.slice(0, HEAD)) ?? [];
  if (first === undefined) return [];
  let count = first;
  return placesOf(stretch, () => {
    count = countOn(count);
    return `${open}${count}${close} `;
  });
}

/** Units that hold the marker of an item, if there is one. */
const HEAD = 40;

function countOn(count: string): string {
  const number = Number(count);
  return Number.isNaN(number) ? String.fromCharCode(count.charCodeAt(0) + 1) : String(number + 1);
}

/** The offsets of consecutive markers that follow white space. */
function placesOf(stretch: string, nextMark: () => string): number[] {
  const places: number[] = [];
  let mark = nextMark();
  let from = HEAD_OF_ITEM;
  for (;;) {
    const at = stretch.indexOf(mark, from);
    if (at === -1) return places;
    from = at + mark.length;
    if (!/\s/.test(stretch.charAt(at - 1))) continue;
    places.push(at);
    mark = nextMark();
  }
}

/** Minimum length of an item. */
const HEAD_OF_ITEM = 2;

/**
 * Adds the ends of sentences between `start` and `end`, which are not cuts themselves. A line break counts as white
 * space.
 */
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

/** White space goes with the sentence before, except the indentation of a line. */
function cutAfter(text: string, closed: number, after: number): number {
  const newline = text.slice(closed, after).lastIndexOf('\n');
  return newline === -1 ? after : closed + newline + 1;
}

function isEnd(prose: Prose, place: Place): boolean {
  const { text, classes } = prose;
  if (place.isFull) return !isQuoted(text, place);
  if (place.after === place.closed) return isGlued(prose, place);
  if (CONTINUES.test(text.charAt(place.next))) return false;
  if (place.dots === 3 && place.isSpaced) return false;
  const isSmall = place.nextClass === LOWER && classes[text.charCodeAt(place.next + 1)] !== UPPER;
  if (isSmall) return text.charAt(place.marked - 1) === '?' && isBare(place);
  if (place.isEllipsis) return endsAtEllipsis(prose, place);
  return place.dots !== 1 || place.marked - place.at > 1 || endsAtFullStop(prose, place);
}

/** Whether only white space separates the marks from the next word. */
function isBare({ marked, closed, after, next }: Place): boolean {
  return closed === marked && next === after;
}

/** Characters that follow white space only within a sentence. */
const CONTINUES = /[,;:&/+=%|]/;

/** The capital of the English pronoun means nothing, nor does a number. */
function endsAtEllipsis({ text, classes }: Prose, { next, nextClass, dots }: Place): boolean {
  if (dots > 3) return true;
  const isPronoun = text.charAt(next) === 'I' && classes[text.charCodeAt(next + 1)] !== LOWER;
  return nextClass !== DIGIT && !isPronoun;
}

const SAYS =
  /(?:と|って|の|が|を|は(?!い))|\p{Script=Han}{1,4}?(?:[说說问問喊叫]|(?<!知)道)道?[。，：,:“「]/uy;

/** Whether a quotation with its own punctuation is followed by its speaker, or by a Japanese particle. */
function isQuoted(text: string, { marked, closed, after }: Place): boolean {
  if (closed === marked || after > closed) return false;
  return matchEnd(SAYS, text, after) !== -1;
}

/** English words that begin a sentence even if the space before them was lost. */
const UNMISTAKABLE = /(?:The|This|That|These|Those|There|They|She|You|However|Today|Mr|Mrs|Dr)[ .]/y;

/** Whether the space between two sentences was lost, as in texts from PDF files: `a lot.That is`. */
function isGlued({ text, classes }: Prose, { at, dots, after, sentence }: Place): boolean {
  if (dots !== 1 || classes[text.charCodeAt(after)] !== UPPER) return false;
  if (matchEnd(UNMISTAKABLE, text, after) === -1) return false;
  let from = at;
  while (from > sentence && at - from < MAX_WORD_LENGTH && isOfWord(text, classes, from - 1)) from--;
  return at - from > 1 && (from === sentence || classes[text.charCodeAt(from - 1)] === SPACE);
}

const MAX_WORD_LENGTH = 24;

function isOfWord(text: string, classes: Uint8Array, at: number): boolean {
  const type = classes[text.charCodeAt(at)];
  return (
    type === LOWER ||
    type === DIGIT ||
    (type === UPPER && classes[text.charCodeAt(at - 1)] === SPACE) ||
    text.charAt(at) === ','
  );
}
