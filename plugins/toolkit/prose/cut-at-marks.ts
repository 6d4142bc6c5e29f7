import type { CutFinder } from '../../../core/contracts/chunker.ts';
import { isWhiteSpace, pointAt, pointBefore } from '../../../core/engine/cuts/cuts.ts';
import { cutAtDelimiters, type DelimiterSide } from '../../../core/engine/cuts/delimiters.ts';
import { isInlineSpace } from './characters.ts';
import { ALL_SENTENCE_MARKS, CLAUSE_MARKS } from './sentence-marks.ts';

/**
 * Cuts after ends of sentences: literal delimiters, and the marks of all scripts, which need no space after them.
 * Further marks, closing brackets, spaces and a line feed stay with the sentence that they follow.
 */
export function cutAtSentenceEnds(delimiters: readonly string[], side: DelimiterSide = 'prev'): CutFinder {
  return cutAtMarks([...delimiters, ...ALL_SENTENCE_MARKS], side);
}

/** Cuts after ends of clauses: after literal delimiters, and after the commas and colons of all scripts. */
export function cutAtClauseEnds(delimiters: readonly string[], side: DelimiterSide = 'prev'): CutFinder {
  return cutAtMarks([...delimiters, ...CLAUSE_MARKS], side);
}

function cutAtMarks(delimiters: readonly string[], side: DelimiterSide): CutFinder {
  const find = cutAtDelimiters(delimiters, side);
  if (side === 'next') return find;
  return (text, start, end) => afterMarks(find(text, start, end), text, end);
}

function afterMarks(cuts: number[], text: string, end: number): number[] {
  let kept = 0;
  let last = -1;
  for (let index = 0; index < cuts.length; index++) {
    const given = cuts[index] as number;
    // The cut of an earlier mark was moved to here or further, because consecutive marks stay together.
    if (given <= last) continue;
    const isMark = isMarkBefore(text, given);
    const cut = isMark && !isLetter(text.charCodeAt(given)) ? markEnd(text, given, end) : given;
    last = cut;
    if (cut < end && !(isMark && isInNumber(text, given, cut))) cuts[kept++] = cut;
  }
  cuts.length = kept;
  return cuts;
}

const MARKS = new Set([...ALL_SENTENCE_MARKS, ...CLAUSE_MARKS].map((mark) => pointAt(mark, 0)));
const FIRST_MARK = Math.min(...MARKS);
const MARK = 1;
const HALF = 2;
/** For each unit: `MARK` for a mark, `HALF` for a surrogate that may be part of a mark, otherwise 0. */
const UNITS = new Uint8Array(0x10000);
for (const mark of MARKS) {
  if (mark <= 0xffff) UNITS[mark] = MARK;
  else for (const half of [0, 1]) UNITS[String.fromCodePoint(mark).charCodeAt(half)] = HALF;
}
const NUMERIC = new Set([...'．﹒，،'].map((mark) => mark.charCodeAt(0)));
const DIGIT = /\p{Nd}/u;
const CLOSER = /[\p{Pe}\p{Pf}]/u;

function markEnd(text: string, from: number, end: number): number {
  let at = from;
  for (;;) {
    while (at < end && goesWithMark(text, at)) at += pointAt(text, at) > 0xffff ? 2 : 1;
    at = signsEnd(text, at, end);
    let next = at;
    while (next < end && isInlineSpace(text.charCodeAt(next))) next++;
    const isMore = next > at && next < end && isMarkAt(text, next);
    if (!isMore) return Math.min(afterLineFeed(text, next), end);
    at = next;
  }
}

const SIGNS = new Set([...'"\'*_`'].map((sign) => sign.charCodeAt(0)));
const MAX_SIGNS = 4;

/** The end of straight quotation marks and signs of emphasis, if white space follows; otherwise `from`. */
function signsEnd(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && at - from < MAX_SIGNS && SIGNS.has(text.charCodeAt(at))) at++;
  return at === end || isWhiteSpace(text.charCodeAt(at)) ? at : from;
}

function afterLineFeed(text: string, at: number): number {
  const isPair = text.charCodeAt(at) === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED;
  if (isPair) return at + 2;
  return text.charCodeAt(at) === LINE_FEED ? at + 1 : at;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

function goesWithMark(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (isLetter(unit)) return false;
  if (unit < FIRST_MARK) return unit === EXCLAMATION || unit === QUESTION || unit === GUILLEMET;
  return unit === EMOJI_VARIANT || isMarkAt(text, at) || CLOSER.test(text.charAt(at));
}

/** Quick check: most Chinese and Japanese marks are directly followed by a letter, which is not part of a mark. */
function isLetter(unit: number): boolean {
  return unit >= FIRST_KANA && unit < AFTER_HAN;
}

const FIRST_KANA = 0x3041;
const AFTER_HAN = 0xa000;
const EXCLAMATION = 0x21;
const QUESTION = 0x3f;
const GUILLEMET = 0xbb;
/** A variation selector that may follow `‼` and `⁉`. */
const EMOJI_VARIANT = 0xfe0f;

function isMarkAt(text: string, at: number): boolean {
  const kind = UNITS[text.charCodeAt(at)];
  return kind === MARK || (kind === HALF && MARKS.has(pointAt(text, at)));
}

function isMarkBefore(text: string, end: number): boolean {
  const kind = UNITS[text.charCodeAt(end - 1)];
  return kind === MARK || (kind === HALF && MARKS.has(pointBefore(text, end)));
}

/** Whether a mark is between two digits, as in `３．１４`. */
function isInNumber(text: string, markEnd: number, cut: number): boolean {
  return (
    cut === markEnd &&
    NUMERIC.has(text.charCodeAt(cut - 1)) &&
    DIGIT.test(text.charAt(cut)) &&
    DIGIT.test(text.charAt(markEnd - 2))
  );
}
