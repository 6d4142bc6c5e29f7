import { refusedError } from '../../../core/kit.ts';
import { escapeCell } from '../../toolkit/markdown/index.ts';
import { readXml, type XmlAttributes } from '../../toolkit/markup/index.ts';
import { openOfficeFile } from '../../toolkit/office/index.ts';
import { columnNumber } from '../../toolkit/places.ts';

/** Maximum bytes of all XML in a workbook. */
const MAX_BYTES = 128 * 1024 * 1024;
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
const MAX_NAME_LENGTH = 255;

export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** Visits each row that has text, with its cells by column. Row and column numbers begin at 1. */
  readonly forEachRow: (visit: (row: number, cells: ReadonlyMap<number, string>) => void) => void;
}

interface Workbook {
  readonly sheets: readonly Sheet[];
  readonly title: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface Meaning {
  readonly strings: readonly string[];
  readonly kinds: readonly NumberKind[];
  readonly from1904: boolean;
}

export function openWorkbook(bytes: Uint8Array): Workbook {
  const { main, part, has, relationships, title, metadata } = openOfficeFile(bytes, MAX_BYTES);
  const related = relationships(main);
  const pathOf = (kind: string) => [...related.values()].find(({ type }) => type === kind)?.target ?? '';
  const read = <T>(kind: string, parse: (bytes: Uint8Array, path: string) => T[]): T[] =>
    has(pathOf(kind)) ? parse(part(pathOf(kind)), pathOf(kind)) : [];
  const listed: XmlAttributes[] = [];
  let from1904 = false;
  readXml(part(main), main, {
    open(name, attributes) {
      if (name === 'sheet') listed.push(attributes);
      if (name === 'workbookPr') from1904 ||= isTrue(attributes.date1904);
    },
  });
  const meaning = { strings: read('sharedStrings', readStrings), kinds: read('styles', readKinds), from1904 };
  const paths = new Set<string>();
  const sheets = listed.flatMap((attributes): Sheet[] => {
    const { name = '', state = 'visible' } = attributes;
    const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
    const { type, target = '' } = related.get(id) ?? {};
    if (name.length > MAX_NAME_LENGTH) throw damaged('the name of a sheet');
    if (type !== 'worksheet') return [];
    if (paths.has(target)) throw damaged(`${target} is in it twice`);
    paths.add(target);
    const forEachRow: Sheet['forEachRow'] = (visit) => readRows(part(target), target, meaning, visit);
    return [{ name: name.toWellFormed(), isHidden: state !== 'visible', forEachRow }];
  });
  return { sheets, title, metadata };
}

function readStrings(bytes: Uint8Array, path: string): string[] {
  const strings: string[] = [];
  const text = textReader();
  readXml(bytes, path, {
    open: text.open,
    text: text.text,
    close(name) {
      text.close(name);
      if (name === 'si') strings.push(cellText(text.take()));
    },
  });
  return strings;
}

/** Collects the text of a string, without phonetic readings of East Asian characters. */
function textReader() {
  let isText = false;
  let isReading = false;
  let collected = '';
  return {
    open(name: string): void {
      if (name === 'rPh') isReading = true;
      isText = !isReading && (name === 't' || name === 'v');
    },
    text(text: string): void {
      if (isText) collected += text;
    },
    close(name: string): void {
      if (name === 'rPh') isReading = false;
      isText = false;
    },
    take(): string {
      const all = collected;
      collected = '';
      return all;
    },
  };
}

function readKinds(bytes: Uint8Array, path: string): NumberKind[] {
  const codes = new Map<number, string>();
  const kinds: NumberKind[] = [];
  let isOfCells = false;
  readXml(bytes, path, {
    open(name, { numFmtId = '0', formatCode = '' }) {
      if (name === 'numFmt') codes.set(Number(numFmtId), formatCode);
      else if (name === 'cellXfs') isOfCells = true;
      else if (name === 'xf' && isOfCells)
        kinds.push(kindOfFormat(Number(numFmtId), codes.get(Number(numFmtId))));
    },
    close(name) {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return kinds;
}

function readRows(
  bytes: Uint8Array,
  path: string,
  meaning: Meaning,
  visit: (row: number, cells: ReadonlyMap<number, string>) => void,
): void {
  let row = 0;
  let column = 0;
  let cells = new Map<number, string>();
  let cell: XmlAttributes = {};
  const text = textReader();
  readXml(bytes, path, {
    open(name, attributes) {
      if (name === 'row') {
        row = attributes.r === undefined ? row + 1 : rowOf(attributes.r);
        if (!(row >= 1 && row <= MAX_ROWS)) throw damaged(path);
        column = 0;
        cells = new Map();
      } else if (name === 'c') {
        cell = attributes;
        column = attributes.r === undefined ? column + 1 : columnOf(attributes.r);
        if (!(column >= 1 && column <= MAX_COLUMNS)) throw damaged(path);
        text.take();
      }
      text.open(name);
    },
    text: text.text,
    close(name) {
      text.close(name);
      if (name === 'row' && cells.size > 0) visit(row, cells);
      if (name !== 'c') return;
      const value = textOf(cell, text.take(), meaning);
      if (value === undefined) throw damaged(path);
      if (value !== '') cells.set(column, value);
    },
  });
}

/** The text of a cell; undefined if its shared string does not exist. */
function textOf({ t: type = 'n', s: style }: XmlAttributes, written: string, meaning: Meaning) {
  if (written === '') return '';
  const { strings, kinds, from1904 } = meaning;
  if (type === 's') return strings[Number(written)];
  if (type === 'b') return isTrue(written) ? 'TRUE' : 'FALSE';
  if (type === 'n') return cellText(numberText(written, kinds[Number(style ?? 0)] ?? 'number', from1904));
  return cellText(written);
}

function cellText(text: string): string {
  const decoded = text.replace(/_x([\da-f]{4})_/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return escapeCell(decoded.toWellFormed().trim());
}

function rowOf(written: string): number {
  return /^\d{1,7}$/.test(written) ? Number(written) : Number.NaN;
}

function columnOf(cell: string): number {
  return columnNumber(/^[A-Z]{1,3}(?=\d)/.exec(cell)?.[0] ?? '');
}

function isTrue(written: string | undefined): boolean {
  return written === '1' || written === 'true';
}

function damaged(what: string): Error {
  return refusedError(`The file cannot be read: it is damaged (${what}).`);
}

type NumberKind = 'number' | 'percentage' | 'date' | 'duration';

/** Ranges of built-in number formats. A file does not contain their codes (ECMA-376, part 1, 18.8.30). */
const BUILT_IN: readonly (readonly [from: number, to: number, kind: NumberKind])[] = [
  [9, 10, 'percentage'],
  [14, 22, 'date'],
  [27, 36, 'date'],
  [45, 45, 'date'],
  [46, 46, 'duration'],
  [47, 47, 'date'],
  [50, 58, 'date'],
  [71, 81, 'date'],
];
const LITERALS = /"[^"]*"?|\\.|_.|\*./g;

/** @param code the file's format, such as `yyyy\-mm\-dd`; undefined for a built-in format */
function kindOfFormat(id: number, code: string | undefined): NumberKind {
  if (code === undefined) return BUILT_IN.find(([from, to]) => id >= from && id <= to)?.[2] ?? 'number';
  const [positive = ''] = code.replace(LITERALS, '').split(';');
  if (/\[(h+|m+|s+)\]/i.test(positive)) return 'duration';
  const signs = positive.replace(/\[[^\][]*\]|general/gi, '');
  if (/[ymdhs]/i.test(signs)) return 'date';
  return signs.includes('%') ? 'percentage' : 'number';
}

const DAY = 86_400_000;
/** Days between 1900 and 1904, the two years from which workbooks count days. */
const DAYS_TO_1904 = 1462;
/** Excel's number of 29 February 1900, a day that did not exist. */
const LEAP_DAY_OF_1900 = 60;
const LAST_DAY = 2_958_465;
const DIGITS = 15;

function numberText(written: string, kind: NumberKind, from1904: boolean): string {
  const value = Number(written);
  if (!Number.isFinite(value)) return written;
  if (kind === 'percentage') return `${rounded(value * 100)}%`;
  if (kind === 'duration') return `${value < 0 ? '-' : ''}${timeText(Math.round(Math.abs(value) * DAY))}`;
  if (kind === 'date') return dateText(value, from1904) ?? rounded(value);
  return /^-?\d+$/.test(written) ? written : rounded(value);
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(DIGITS)));
}

function dateText(value: number, from1904: boolean): string | undefined {
  const time = Math.round(value * DAY);
  const days = Math.floor(time / DAY);
  if (time < 0 || days > LAST_DAY) return;
  if (days === 0) return timeText(time);
  const since1900 = days + (from1904 ? DAYS_TO_1904 : 0);
  const clock = time % DAY === 0 ? '' : ` ${timeText(time % DAY)}`;
  if (since1900 === LEAP_DAY_OF_1900) return `1900-02-29${clock}`;
  const first = Date.UTC(1899, 11, since1900 < LEAP_DAY_OF_1900 ? 31 : 30);
  return `${new Date(first + since1900 * DAY).toISOString().slice(0, 'yyyy-mm-dd'.length)}${clock}`;
}

function timeText(time: number): string {
  const parts = [Math.floor(time / 3_600_000), Math.floor(time / 60_000) % 60, Math.floor(time / 1000) % 60];
  const clock = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return time % 1000 === 0 ? clock : `${clock}.${String(time % 1000).padStart(3, '0')}`;
}
