import { CLOSER, DIGIT, LOWER, MARK, OPENER, SPACE, SYMBOL, UPPER } from './characters.ts';
import { endsAtFullStop } from './full-stops.ts';
import { readMarks } from './marks.ts';
import type { Place, Prose } from './place.ts';

/** Adds the ends of sentences between `start` and `end`, which are no cuts themselves. A line break is white space. */
export function addEnds(cuts: number[], prose: Prose, start: number, end: number): void {
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

/** White space goes with the sentence before, but for the indentation of a line. */
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

/** Whether nothing but white space stands between the marks and the next word. */
function isBare({ marked, closed, after, next }: Place): boolean {
  return closed === marked && next === after;
}

/** What stands behind white space only within a sentence. */
const CONTINUES = /[,;:&/+=%|]/;

/** The capital of the English pronoun tells nothing, nor does a number. */
function endsAtEllipsis({ text, classes }: Prose, { next, nextClass, dots }: Place): boolean {
  if (dots > 3) return true;
  const isPronoun = text.charAt(next) === 'I' && classes[text.charCodeAt(next + 1)] !== LOWER;
  return nextClass !== DIGIT && !isPronoun;
}

const SAYS =
  /(?:と|って|の|が|を|は(?!い))|\p{Script=Han}{1,4}?(?:[说說问問喊叫]|(?<!知)道)道?[。，：,:“「]/uy;

/** Whether a quotation with a mark of its own is followed by who says so, or by a Japanese particle. */
function isQuoted(text: string, { marked, closed, after }: Place): boolean {
  if (closed === marked || after > closed) return false;
  SAYS.lastIndex = after;
  return SAYS.test(text);
}

/** English words that begin a sentence even if the space before them was lost. */
const UNMISTAKABLE = /(?:The|This|That|These|Those|There|They|She|You|However|Today|Mr|Mrs|Dr)[ .]/y;

/** Whether the space between two sentences was lost, as texts from PDF files have it: `a lot.That is`. */
function isGlued({ text, classes }: Prose, { at, dots, after, sentence }: Place): boolean {
  if (dots !== 1 || classes[text.charCodeAt(after)] !== UPPER) return false;
  UNMISTAKABLE.lastIndex = after;
  if (!UNMISTAKABLE.test(text)) return false;
  let from = at;
  while (from > sentence && at - from < LONGEST_WORD && isOfWord(text, classes, from - 1)) from--;
  return at - from > 1 && (from === sentence || classes[text.charCodeAt(from - 1)] === SPACE);
}

const LONGEST_WORD = 24;

function isOfWord(text: string, classes: Uint8Array, at: number): boolean {
  const type = classes[text.charCodeAt(at)];
  return (
    type === LOWER ||
    type === DIGIT ||
    (type === UPPER && classes[text.charCodeAt(at - 1)] === SPACE) ||
    text.charAt(at) === ','
  );
}
