import { behindBreak, isLineBreak, nextLine } from '../../../core/engine/line-breaks.ts';

/** How CSV is written. */
export interface Dialect {
  readonly delimiter: string;
  /** What encloses fields; empty if nothing does. */
  readonly quote: string;
}

const BYTE_ORDER_MARK = 0xfeff;
const NEVER_CLOSED = -1;
const NO_UNIT = -1;

/**
 * Where the records of CSV begin. A quote counts at the beginning of a field alone; it may then hold line breaks, and two
 * quotes are one that it holds. From one that is never closed on each line is a record. Blank lines are none.
 *
 * @param most stops after so many
 */
export function findRecords(text: string, dialect: Dialect, most = Number.POSITIVE_INFINITY): number[] {
  const starts: number[] = [];
  let hasQuotes = dialect.quote !== '';
  let at = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
  while (starts.length < most) {
    while (at < text.length && isLineBreak(text.charCodeAt(at))) at++;
    if (at >= text.length) break;
    starts.push(at);
    const end = hasQuotes ? recordEnd(text, at, dialect) : nextLine(text, at, text.length);
    if (end === NEVER_CLOSED) hasQuotes = false;
    at = end === NEVER_CLOSED ? nextLine(text, at, text.length) : end;
  }
  return starts;
}

/** Where a record ends, behind its line break. */
function recordEnd(text: string, start: number, { delimiter, quote }: Dialect): number {
  const mark = delimiter.charCodeAt(delimiter.length - 1);
  const enclosing = unitOf(quote);
  let isFieldStart = true;
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (isLineBreak(unit)) return behindBreak(text, at);
    if (isFieldStart && unit === enclosing) {
      const closing = closingQuote(text, at + 1, quote);
      if (closing === NEVER_CLOSED) return NEVER_CLOSED;
      at = closing;
      isFieldStart = false;
    } else isFieldStart = unit === mark;
  }
  return text.length;
}

function unitOf(quote: string): number {
  return quote === '' ? NO_UNIT : quote.charCodeAt(0);
}

/** Where the quote is that closes a field. */
function closingQuote(text: string, from: number, quote: string): number {
  let at = text.indexOf(quote, from);
  while (at !== NEVER_CLOSED && text.startsWith(quote, at + 1)) at = text.indexOf(quote, at + 2);
  return at;
}

/** The offsets behind the delimiters of a stretch that begins with a record. */
export function findFieldCuts(text: string, start: number, end: number, dialect: Dialect): number[] {
  const { delimiter } = dialect;
  const cuts: number[] = [];
  let enclosing = unitOf(dialect.quote);
  let isFieldStart = true;
  for (let at = start; at < end; at++) {
    if (isFieldStart && text.charCodeAt(at) === enclosing) {
      const closing = closingQuote(text, at + 1, dialect.quote);
      isFieldStart = false;
      // One that is never closed here encloses nothing, and no other does.
      if (closing === NEVER_CLOSED || closing >= end) enclosing = NO_UNIT;
      else at = closing;
      continue;
    }
    isFieldStart = text.startsWith(delimiter, at);
    const cut = at + delimiter.length;
    if (isFieldStart && cut < end) cuts.push(cut);
  }
  return cuts;
}
