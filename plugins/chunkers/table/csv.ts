import { isLineBreak } from '../../../core/kit.ts';
import { afterLineBreak, nextLine } from '../../toolkit/lines.ts';
import type { Layout } from './layout.ts';
import type { TableOptions } from './manifest.ts';

const DELIMITERS = [',', '\t', ';', '|'];
const NAMES: ReadonlyMap<string, string> = new Map([
  [',', 'comma'],
  [';', 'semicolon'],
  ['|', 'pipe'],
  [' ', 'space'],
  [':', 'colon'],
]);
const SAMPLE_RECORDS = 100;
const SAMPLE_UNITS = 50_000;
const MAX_CAPTIONS = 20;

/** A first line that tells Excel the delimiter, such as `sep=;`. Some programs append more delimiters to the line. */
const SEPARATOR_LINE =
  /^\ufeff?(?:"sep=([^\r\n"])"\1{0,1000}|sep=([^\r\n"])\2{0,1000}) {0,99}(?:\r\n|\r|\n|$)/i;

export function readCsv(text: string, options: TableOptions): Layout {
  const [line = '', quoted, bare] = SEPARATOR_LINE.exec(text) ?? [];
  const sample = sampleOf(text, line.length);
  const quote = options.quote ?? '';
  const given = options.delimiter ?? (options.format === 'tsv' ? '\t' : undefined) ?? quoted ?? bare;
  const shape = given === undefined ? sniff(sample, quote) : shapeOf(sample, { delimiter: given, quote });
  const { dialect } = shape;
  const records = findRecords(text, dialect, line.length);
  const rows = records.slice(countCaptions(shape));
  const [start] = rows;
  return {
    dialect: nameOf(dialect),
    from: records[0],
    tables: start === undefined ? [] : [{ start, end: text.length, rows, headerRows: 1 }],
    cutAtCells: (text, start, end) => findFieldCuts(text, start, end, dialect),
  };
}

function sampleOf(text: string, from: number): string {
  const most = from + SAMPLE_UNITS;
  if (text.length <= most) return text.slice(from);
  const end = text.lastIndexOf('\n', most);
  return text.slice(from, end < from ? most : end + 1);
}

interface Shape {
  readonly dialect: Dialect;
  readonly fields: readonly number[];
  readonly comments: readonly boolean[];
  /** The most frequent number of fields among records of several fields; 1 without such records. */
  readonly usual: number;
  readonly agreeing: number;
}

function shapeOf(sample: string, dialect: Dialect): Shape {
  const starts = findRecords(sample, dialect, 0, SAMPLE_RECORDS);
  const fields = starts.map((start, index) => {
    const end =
      starts[index + 1] ??
      (starts.length < SAMPLE_RECORDS ? sample.length : nextLine(sample, start, sample.length));
    return findFieldCuts(sample, start, end, dialect).length + 1;
  });
  const counts = new Map<number, number>();
  for (const count of fields) if (count > 1) counts.set(count, (counts.get(count) ?? 0) + 1);
  let usual = 1;
  for (const [count, times] of counts) if (times > (counts.get(usual) ?? 0)) usual = count;
  const comments = starts.map((start) => sample.charAt(start) === '#');
  return { dialect, fields, comments, usual, agreeing: (counts.get(usual) ?? 0) / starts.length };
}

/** Finds the delimiter with which most records have the same number of fields. In a tie, more fields win. */
function sniff(sample: string, quote: string): Shape {
  const [first, ...others] = DELIMITERS.map((delimiter) => shapeOf(sample, { delimiter, quote })) as [
    Shape,
    ...Shape[],
  ];
  let best = first;
  for (const shape of others) {
    const isTie = shape.agreeing === best.agreeing;
    if (isTie ? shape.usual > best.usual : shape.agreeing > best.agreeing) best = shape;
  }
  return best;
}

function countCaptions({ fields, comments, usual }: Shape): number {
  const isCaption = (index: number) =>
    fields[index] !== usual && (fields[index] === 1 || comments[index] === true);
  let count = 0;
  while (count < fields.length && isCaption(count)) count++;
  return count === fields.length || count > MAX_CAPTIONS ? 0 : count;
}

function nameOf({ delimiter }: Dialect): string {
  if (delimiter === '\t') return 'tsv';
  const code = delimiter.codePointAt(0) ?? 0;
  return `csv ${NAMES.get(delimiter) ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`}`;
}

interface Dialect {
  readonly delimiter: string;
  /** Empty if fields are never quoted. */
  readonly quote: string;
}

const BYTE_ORDER_MARK = 0xfeff;
const NEVER_CLOSED = -1;
const NO_UNIT = -1;

/**
 * Finds the starts of the records of CSV. A quote counts only at the start of a field. A quoted field may contain line
 * breaks, and two quotes in it mean one quote. After an unclosed quote, each line is a record. Blank lines are skipped.
 *
 * @param most maximum number of records
 */
function findRecords(
  text: string,
  dialect: Dialect,
  from: number,
  most = Number.POSITIVE_INFINITY,
): number[] {
  const starts: number[] = [];
  let hasQuotes = dialect.quote !== '';
  let at = from === 0 && text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : from;
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

function recordEnd(text: string, start: number, { delimiter, quote }: Dialect): number {
  const mark = delimiter.charCodeAt(delimiter.length - 1);
  const enclosing = unitOf(quote);
  let isFieldStart = true;
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (isLineBreak(unit)) return afterLineBreak(text, at);
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

function closingQuote(text: string, from: number, quote: string): number {
  let at = text.indexOf(quote, from);
  while (at !== NEVER_CLOSED && text.startsWith(quote, at + 1)) at = text.indexOf(quote, at + 2);
  return at;
}

function findFieldCuts(text: string, start: number, end: number, dialect: Dialect): number[] {
  const { delimiter } = dialect;
  const cuts: number[] = [];
  let enclosing = unitOf(dialect.quote);
  let isFieldStart = true;
  for (let at = start; at < end; at++) {
    if (isFieldStart && text.charCodeAt(at) === enclosing) {
      const closing = closingQuote(text, at + 1, dialect.quote);
      isFieldStart = false;
      // After an unclosed quote, quotes no longer enclose text.
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
