import { refusedError } from '../../../core/kit.ts';
import { escapeCell } from '../../toolkit/markdown/index.ts';
import { readXml, type XmlAttributes } from '../../toolkit/markup/index.ts';
import { openOfficeFile } from '../../toolkit/office/index.ts';
import { columnNumber } from '../../toolkit/places.ts';
import { kindOfFormat, type NumberKind, numberText } from './values.ts';

/** Bytes of all XML in a workbook together. */
const MAX_BYTES = 128 * 1024 * 1024;
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
const MAX_NAME_LENGTH = 255;

export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** Calls for each row that has text, with its cells by column; both are from 1. */
  readonly forEachRow: (visit: (row: number, cells: ReadonlyMap<number, string>) => void) => void;
}

interface Workbook {
  readonly sheets: readonly Sheet[];
  readonly title: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What the values of cells refer to. */
interface Meaning {
  readonly strings: readonly string[];
  readonly kinds: readonly NumberKind[];
  readonly from1904: boolean;
}

/** Opens a workbook; its sheets are read when they are visited. */
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
      // Extensions have an element of the same name.
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

/** Collects the text of a string, without the readings of its characters that East Asian ones may have. */
function textReader() {
  let [isText, isReading, collected] = [false, false, ''];
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

/** What the styles of cells, by their numbers, make of numbers. */
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
  let [row, column] = [0, 0];
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

/** The text of a cell; undefined if it refers to a string that does not exist. */
function textOf({ t: type = 'n', s: style }: XmlAttributes, written: string, meaning: Meaning) {
  if (written === '') return '';
  const { strings, kinds, from1904 } = meaning;
  if (type === 's') return strings[Number(written)];
  if (type === 'b') return isTrue(written) ? 'TRUE' : 'FALSE';
  if (type === 'n') return cellText(numberText(written, kinds[Number(style ?? 0)] ?? 'number', from1904));
  return cellText(written);
}

/** Text as it is in a cell of a Markdown table. */
function cellText(text: string): string {
  const decoded = text.replace(/_x([\da-f]{4})_/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return escapeCell(decoded.toWellFormed().trim());
}

/** The column of a cell such as `B2`; 0 if the reference is not valid. */
/** The number of a row; NaN unless it is written in digits alone. */
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
