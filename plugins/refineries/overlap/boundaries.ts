import { isWhiteSpace } from '../../../core/engine/cuts.ts';

/** Rising offsets where a text can be cut: between paragraphs, lines, sentences and words. */
export type Boundaries = Readonly<Record<Level, number[]>>;

type Level = 'paragraph' | 'line' | 'sentence' | 'word';

/**
 * Where a head of the text of at most `limit` units may end: behind a paragraph, line, sentence or word,
 * and behind the white space that follows it.
 */
export function headEnds(text: string, limit: number): Boundaries {
  const found = noBoundaries();
  forEachGap(text, 0, limit, ({ level, start, lineStart }) => {
    if (start === 0) return;
    found[level].push(start);
    if (lineStart > start && lineStart <= limit) found[level].push(lineStart);
  });
  return found;
}

/**
 * Where a tail of the text that begins at `limit` or later may begin: before a paragraph, line, sentence
 * or word, behind the white space before it. The indentation of a line belongs to the line.
 */
export function tailStarts(text: string, limit: number): Boundaries {
  const found = noBoundaries();
  forEachGap(text, limit, text.length, ({ level, end, lineStart }) => {
    if (end < text.length) found[level].push(lineStart >= limit ? lineStart : end);
  });
  return found;
}

function noBoundaries(): Boundaries {
  return { paragraph: [], line: [], sentence: [], word: [] };
}

/** What stands between two words: white space, or nothing behind an end of a sentence that needs none. */
interface Gap {
  readonly level: Level;
  readonly start: number;
  readonly end: number;
  /** Behind the last line break if there is one, else the end. */
  readonly lineStart: number;
}

/** Visits, in order, the gaps that begin at `to` or before and end at `from` or behind. */
function forEachGap(text: string, from: number, to: number, visit: (gap: Gap) => void): void {
  let at = whiteSpaceStart(text, from);
  let previous = at === 0 ? 0 : text.charCodeAt(at - 1);
  while (at < text.length && at <= to) {
    const unit = text.charCodeAt(at);
    if (isWhiteSpace(unit)) {
      const end = whiteSpaceEnd(text, at);
      visit(gapOf(text, at, end));
      at = end;
    } else {
      if (endsAlone(previous)) visit({ level: 'sentence', start: at, end: at, lineStart: at });
      at++;
    }
    previous = unit;
  }
}

function whiteSpaceStart(text: string, end: number): number {
  let start = end;
  while (start > 0 && isWhiteSpace(text.charCodeAt(start - 1))) start--;
  return start;
}

function whiteSpaceEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && isWhiteSpace(text.charCodeAt(end))) end++;
  return end;
}

function gapOf(text: string, start: number, end: number): Gap {
  let breaks = 0;
  let lineStart = end;
  for (let at = start; at < end; at++) {
    if (breaksLine(text, at)) {
      breaks++;
      lineStart = at + 1;
    }
  }
  if (breaks > 0) return { level: breaks > 1 ? 'paragraph' : 'line', start, end, lineStart };
  const follows = start === 0 ? 0 : text.charCodeAt(start - 1);
  const isSentence = ENDS.includes(follows) || endsAlone(follows);
  return { level: isSentence ? 'sentence' : 'word', start, end, lineStart };
}

/** Whether a line ends with the unit at `at`: LF, CRLF or CR. */
function breaksLine(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10);
}

/** Ends of sentences, if white space follows. */
const ENDS = unitsOf('.!?');

/** Ends of sentences that need no white space behind them, as scripts without it write them. */
const ENDS_ALONE = unitsOf('؟।。！？｡');
const FIRST_ALONE = Math.min(...ENDS_ALONE);

function endsAlone(unit: number): boolean {
  return unit >= FIRST_ALONE && ENDS_ALONE.includes(unit);
}

function unitsOf(marks: string): number[] {
  return [...marks].map((mark) => mark.charCodeAt(0));
}
