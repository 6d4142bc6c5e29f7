import { isWhiteSpace } from '../../../core/engine/cuts/cuts.ts';
import { matchEnd } from '../../../core/engine/search.ts';
import type { Lexicon } from './abbreviations.ts';
import {
  CLOSER,
  DIGIT,
  FULL_MARK,
  isInlineSpace,
  isLetter,
  LOWER,
  MARK,
  OPENER,
  SCRIPT_MARK,
  SPACE,
} from './characters.ts';

export interface Prose {
  readonly text: string;
  readonly classes: Uint8Array;
  readonly lexicon: Lexicon;
}

interface Run {
  readonly marked: number;
  readonly dots: number;
  readonly isSpaced: boolean;
  readonly isEllipsis: boolean;
  /** Whether the marks end a sentence even if no white space follows. */
  readonly isFull: boolean;
}

interface Marks extends Run {
  readonly at: number;
  /** End of the closing quotation marks, brackets and emoji that follow the marks. */
  readonly closed: number;
  readonly after: number;
  /** Whether the marks cannot end a sentence: in a number, within a clause, or for an omission in brackets. */
  readonly isPart: boolean;
}

export interface Candidate extends Marks {
  readonly sentence: number;
  readonly next: number;
  readonly nextClass: number;
}

export function readMarks(
  text: string,
  classes: Uint8Array,
  at: number,
  end: number,
  sentence: number,
): Marks {
  const run = readRun(text, classes, at, end);
  const closers = readClosers(text, classes, run.marked, end, { ...run, sentence });
  const closed = readEmoji(text, classes, closers, end, run.isFull);
  let after = closed;
  while (after < end && classes[text.charCodeAt(after)] === SPACE) after++;
  return { at, ...run, closed, after, isPart: isPart(text, classes, at, run) };
}

/** The end of the emoji that follow the marks. Emoji before a small letter belong to the next sentence. */
function readEmoji(text: string, classes: Uint8Array, from: number, end: number, isFull: boolean): number {
  const emoji = emojiEnd(text, from, end);
  if (emoji === from) return from;
  let next = emoji;
  while (next < end && classes[text.charCodeAt(next)] === SPACE) next++;
  const isSeparate = next > emoji || next >= end || isFull;
  return isSeparate && classes[text.charCodeAt(next)] !== LOWER ? emoji : from;
}

function readRun(text: string, classes: Uint8Array, at: number, end: number): Run {
  let marked = at;
  let dots = 0;
  let isSpaced = false;
  let isFull = false;
  let others = 0;
  while (marked < end) {
    const unit = text.charCodeAt(marked);
    const type = classes[unit] as number;
    if (unit === SMALL_SECTION && isPair(text, marked, end)) {
      isFull = true;
      others++;
      marked += 2;
    } else if (type >= MARK && (type < SCRIPT_MARK || marked === at)) {
      if (unit === DOT) dots++;
      else if (unit !== ELLIPSIS) others++;
      isFull ||= type === FULL_MARK;
      marked++;
    } else if (dots > 0 && isSpacedDot(text, classes, marked, end)) {
      isSpaced = true;
      marked++;
    } else break;
  }
  return { marked, dots, isSpaced, isEllipsis: others === 0 && (dots !== 1 || marked - at > 1), isFull };
}

/** The Burmese comma. Two of them are a full stop. */
const SMALL_SECTION = 0x104a;

function isPair(text: string, at: number, end: number): boolean {
  return at + 1 < end && text.charCodeAt(at + 1) === text.charCodeAt(at);
}

const DOT = 0x2e;
const ELLIPSIS = 0x2026;

/** Whether a space and a full stop continue an ellipsis. If a word follows directly, as in `.NET`, they do not. */
function isSpacedDot(text: string, classes: Uint8Array, at: number, end: number): boolean {
  if (classes[text.charCodeAt(at)] !== SPACE || at + 1 >= end || text.charCodeAt(at + 1) !== DOT)
    return false;
  const type = at + 2 < end ? (classes[text.charCodeAt(at + 2)] as number) : SPACE;
  return !isWord(type);
}

function isWord(type: number): boolean {
  return isLetter(type) || type === DIGIT;
}

function readClosers(
  text: string,
  classes: Uint8Array,
  from: number,
  end: number,
  { isFull, sentence }: { isFull: boolean; sentence: number },
): number {
  let at = from;
  while (at < end) {
    const type = classes[text.charCodeAt(at)] as number;
    if (type === MARK || type === FULL_MARK) at++;
    else if (type === CLOSER && !(isFull && opensQuote(text, at, sentence))) at++;
    else if (type === OPENER && !isFull && closesHere(text, classes, at, end)) at++;
    else if (type === SPACE && closesAfterSpace(text, classes, at, end)) at += 2;
    else {
      const reference = matchEnd(REFERENCE, text, at);
      if (reference === -1 || reference > end) break;
      at = reference;
    }
  }
  return at;
}

const STRAIGHT = 0x22;
const MAX_QUOTED = 300;

/** Whether a quotation mark opens: it is straight, and an even number of straight ones precede it in the sentence. */
function opensQuote(text: string, at: number, sentence: number): boolean {
  if (text.charCodeAt(at) !== STRAIGHT) return false;
  let count = 0;
  for (let back = Math.max(sentence, at - MAX_QUOTED); back < at; back++) {
    if (text.charCodeAt(back) === STRAIGHT) count++;
  }
  return count % 2 === 0;
}

/** Quotation marks that open in some languages and close in others: `„So!“`, `»So!«`. */
const BOTH_WAYS = /[“‘«‹]/;

function closesHere(text: string, classes: Uint8Array, at: number, end: number): boolean {
  if (!BOTH_WAYS.test(text.charAt(at))) return false;
  return at + 1 >= end || !isWord(classes[text.charCodeAt(at + 1)] as number);
}

/** Whether a quotation mark after a space closes a quotation: yes in `« Bonjour ! »`, no in `»So!« »Nein`. */
function closesAfterSpace(text: string, classes: Uint8Array, at: number, end: number): boolean {
  const quote = text.charAt(at + 1);
  if (at + 1 >= end || (quote !== '»' && quote !== '›')) return false;
  return at + 2 >= end || !isWord(classes[text.charCodeAt(at + 2)] as number);
}

const REFERENCE = /\[\d{1,4}(?:[,–-] ?\d{1,4}){0,4}\]|[¹²³⁰⁴-⁹]/y;

function isPart(text: string, classes: Uint8Array, at: number, run: Run): boolean {
  const type = classes[text.charCodeAt(at)];
  if (type === SCRIPT_MARK && !run.isFull) return !isMarkOfScript(text, at);
  if (run.isFull) return text.charAt(at) === '．' && classes[text.charCodeAt(at + 1)] === DIGIT;
  return run.isEllipsis && /[[(]/.test(text.charAt(at - 1)) && /[\])]/.test(text.charAt(run.marked));
}

const GREEK = /[\u0370-\u03ff\u1f00-\u1fff]/;
const ARMENIAN = /[\u0530-\u058f]/;

/** Whether `;` or `:` ends a sentence: `;` is the question mark of Greek, and `:` the full stop of Armenian. */
function isMarkOfScript(text: string, at: number): boolean {
  if (text.charCodeAt(at) === SMALL_SECTION) return false;
  return (text.charAt(at) === ';' ? GREEK : ARMENIAN).test(text.charAt(at - 1));
}

/**
 * An emoji with its modifiers. Characters that are usually text, such as `©` and `▪`, need a variation selector.
 * Keycaps are excluded, because they number items. The length is limited, so that the stack cannot overflow.
 */
const EMOJI =
  /(?:\p{Regional_Indicator}{2}|(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u{1f000}-\u{1faff}\u2639\u263a\u2661\u2665\u2763\u2764])(?:\p{Emoji_Modifier}|\p{Variation_Selector}|[\u{e0020}-\u{e007f}]){0,16}\u200d?)/uy;

const FIRST_EMOJI = 0x203c;

function emojiEnd(text: string, from: number, end: number): number {
  let last = from;
  for (;;) {
    let at = last;
    while (at < end && isInlineSpace(text.charCodeAt(at))) at++;
    const next = text.charCodeAt(at) >= FIRST_EMOJI ? matchEnd(EMOJI, text, at) : -1;
    if (next === -1 || next > end) return last;
    last = next;
  }
}

export function isOnlyEmoji(text: string, start: number, end: number): boolean {
  const last = emojiEnd(text, start, end);
  if (last === start) return false;
  let at = last;
  while (at < end && isWhiteSpace(text.charCodeAt(at))) at++;
  return at === end;
}
