import { CLOSER, DIGIT, FULL_MARK, LOWER, MARK, OPENER, UNCASED, UPPER, unitClasses } from './characters.ts';

/** A line that is not blank. */
export interface Line {
  readonly start: number;
  /** Where its text begins, after the indentation. */
  readonly from: number;
  /** Where its text ends, before white space and the line break. */
  readonly end: number;
}

/** A line as part of its block. */
interface Measured {
  /** The width of the line. */
  readonly length: number;
  /** The class of its first unit, and of the first one after quotation marks and brackets. */
  readonly first: number;
  readonly begins: number;
  /** Units that the previous line would have needed for the first word of this one. */
  readonly word: number;
}

/**
 * Tells whether each line of a block, from the second one on, continues the previous line. The lines of verse, of
 * lists without bullets and of records are separate. In prose a line break means nothing if the next word did not fit
 * on the line, or if it begins with a small letter or is a number; otherwise the break is deliberate, as after a
 * title.
 */
export function keepsTogether(text: string, lines: readonly Line[]): (index: number) => boolean {
  const measured = lines.map((line) => measure(text, line));
  const width = widthOf(measured);
  const isFree = (index: number, share: number) => {
    const [before, after] = [measured[index - 1] as Measured, measured[index] as Measured];
    return before.length + 1 + after.word <= width * share;
  };
  if (lines.length >= 3 && standAlone(text, lines, measured, isFree)) return () => false;
  return (index) => {
    const { begins } = measured[index] as Measured;
    if (!isFree(index, CLEAR) || begins === LOWER || begins === DIGIT) return true;
    return GOES_ON.test(text.charAt((lines[index - 1] as Line).end - 1));
  };
}

/** Share of the width below which the next word would certainly have fitted. */
const CLEAR = 0.85;
/** Line endings after which a break means nothing: the sentence continues, or its punctuation decides. */
const GOES_ON = /[,;(&+=/\-–—.!?…]/;
/** From here on there are scripts without spaces. */
const FIRST_WIDE = 0x2e80;

function measure(text: string, { start, from, end }: Line): Measured {
  const classes = unitClasses();
  let at = from;
  while (at < end && isQuote(classes[text.charCodeAt(at)] as number)) at++;
  const word = text.charCodeAt(at) >= FIRST_WIDE ? at + 1 : wordEnd(text, from, end);
  const [first, begins] = [classes[text.charCodeAt(from)] as number, classes[text.charCodeAt(at)] as number];
  return { length: end - start, first, begins: at < end ? begins : first, word: word - from };
}

function isQuote(type: number): boolean {
  return type === OPENER || type === CLOSER;
}

function wordEnd(text: string, from: number, end: number): number {
  for (let at = from; at < end; at++) if (text.charCodeAt(at) === 32) return at;
  return end;
}

/** The width that a block was wrapped to: its longest line, or with four or more lines the second longest. */
function widthOf(lines: readonly Measured[]): number {
  let [longest, second] = [0, 0];
  for (const { length } of lines) {
    if (length > longest) [longest, second] = [length, longest];
    else if (length > second) second = length;
  }
  return lines.length < 4 ? longest : second;
}

function standAlone(
  text: string,
  lines: readonly Line[],
  measured: readonly Measured[],
  isFree: (index: number, share: number) => boolean,
): boolean {
  const free = measured.filter((_, index) => index > 0 && isFree(index, 1)).length;
  const isVerse = free * 4 >= measured.length - 1 && measured.every(({ begins }) => begins === UPPER);
  const isRecords =
    measured.every(({ first }) => !isLetter(first)) && text.charAt(lines[0]?.from ?? 0) !== '>';
  return isVerse || isRecords || (free * 2 >= measured.length - 1 && !endsProse(text, lines));
}

function isLetter(type: number): boolean {
  return type === LOWER || type === UPPER || type === UNCASED;
}

/** Whether a block ends as a sentence does. */
function endsProse(text: string, lines: readonly Line[]): boolean {
  const classes = unitClasses();
  const { from, end } = lines.at(-1) as Line;
  let at = end - 1;
  while (at > from && isQuote(classes[text.charCodeAt(at)] as number)) at--;
  const type = classes[text.charCodeAt(at)];
  return type === MARK || type === FULL_MARK || text.charAt(at) === ':';
}
