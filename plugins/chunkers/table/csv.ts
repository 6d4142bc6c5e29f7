import { nextLine } from '../../../core/engine/line-breaks.ts';
import type { Layout } from './layout.ts';
import type { TableOptions } from './manifest.ts';
import { type Dialect, findFieldCuts, findRecords } from './records.ts';

const DELIMITERS = [',', '\t', ';', '|'];
const NAMES: ReadonlyMap<string, string> = new Map([
  [',', 'comma'],
  [';', 'semicolon'],
  ['|', 'pipe'],
  [' ', 'space'],
  [':', 'colon'],
]);
/** How much of a text tells its dialect. */
const SAMPLE_RECORDS = 100;
const SAMPLE_UNITS = 50_000;
/** Most lines of a caption above the header. */
const MOST_CAPTIONS = 20;

/** Reads a text as CSV or TSV: one table, behind the lines of a caption or comments if it has them. */
export function readCsv(text: string, options: TableOptions): Layout {
  const sample = sampleOf(text);
  const quote = options.quote ?? '';
  const given = options.delimiter ?? (options.format === 'tsv' ? '\t' : undefined);
  const found = given === undefined ? sniff(sample, quote) : shapeOf(sample, { delimiter: given, quote });
  const { dialect } = found;
  const records = findRecords(text, dialect);
  const rows = records.slice(countCaptions(found));
  const [start] = rows;
  return {
    dialect: nameOf(dialect),
    tables: start === undefined ? [] : [{ start, end: text.length, rows, headerRows: 1 }],
    cutAtCells: (text, start, end) => findFieldCuts(text, start, end, dialect),
  };
}

/** The first lines of a text; half a line that is longer than all of these should be. */
function sampleOf(text: string): string {
  if (text.length <= SAMPLE_UNITS) return text;
  const end = text.lastIndexOf('\n', SAMPLE_UNITS);
  return text.slice(0, end === -1 ? SAMPLE_UNITS : end + 1);
}

/** What the first records look like in a dialect. */
interface Shape {
  readonly dialect: Dialect;
  /** Fields of each record. */
  readonly fields: readonly number[];
  /** Of each record, whether it begins as a comment does. */
  readonly comments: readonly boolean[];
  /** How many fields most records have, of those that have several; 1 if none has. */
  readonly usual: number;
  /** The part of the records that have so many. */
  readonly agreeing: number;
}

function shapeOf(sample: string, dialect: Dialect): Shape {
  const starts = findRecords(sample, dialect, SAMPLE_RECORDS);
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

/** The delimiter by which most records have the same number of fields, of several the one that makes more. */
function sniff(sample: string, quote: string): Shape {
  const [first, ...others] = DELIMITERS.map((delimiter) => shapeOf(sample, { delimiter, quote })) as [Shape];
  return others.reduce((best: Shape, shape: Shape) => (isBetter(shape, best) ? shape : best), first);
}

function isBetter(shape: Shape, than: Shape): boolean {
  if (shape.agreeing !== than.agreeing) return shape.agreeing > than.agreeing;
  return shape.usual > than.usual;
}

/** How many records before the first usual one are a caption: those of one field, and comments. */
function countCaptions({ fields, comments, usual }: Shape): number {
  const isCaption = (index: number) =>
    fields[index] !== usual && (fields[index] === 1 || comments[index] === true);
  let count = 0;
  while (count < fields.length && isCaption(count)) count++;
  return count === fields.length || count > MOST_CAPTIONS ? 0 : count;
}

function nameOf({ delimiter }: Dialect): string {
  if (delimiter === '\t') return 'tsv';
  const code = delimiter.codePointAt(0) ?? 0;
  return `csv ${NAMES.get(delimiter) ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`}`;
}
