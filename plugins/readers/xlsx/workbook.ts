import { refusedError } from '../../../core/kit.ts';
import { escapeCell, raised } from '../../toolkit/markdown/index.ts';
import { readXml, type XmlAttributes } from '../../toolkit/markup/index.ts';
import { decodeEscapes, type OfficeFile, openOfficeFile, type SheetRow } from '../../toolkit/office/index.ts';
import { columnNumber } from '../../toolkit/places.ts';
import { type Cell, PLAIN, readPlainCell } from './plain-cell.ts';
import { type CellFormat, formatOf, numberText, UNFORMATTED } from './values.ts';

/** Maximum bytes of all XML in a workbook. */
const MAX_BYTES = 128 * 1024 * 1024;
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
const MAX_NAME_LENGTH = 255;

export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** Visits each row that has text. */
  readonly forEachRow: (visit: (row: Row) => void) => void;
}

export interface Row extends SheetRow {
  /** How many formulas have no saved value. Their cells show the formula, if the file has it there. */
  readonly unsaved: number;
}

interface Workbook {
  readonly sheets: readonly Sheet[];
  /** Counts of what is not read, by kind. */
  readonly leftOut: Readonly<Record<string, number>>;
  readonly title: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface Meaning {
  readonly strings: readonly string[];
  readonly formats: readonly CellFormat[];
  readonly from1904: boolean;
}

export function openWorkbook(bytes: Uint8Array): Workbook {
  const file = openOfficeFile(bytes, MAX_BYTES);
  const { main, part, has, relationships, title, metadata } = file;
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
  const meaning = {
    strings: read('sharedStrings', readStrings),
    formats: read('styles', readFormats),
    from1904,
  };
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
  return { sheets, leftOut: leftOutOf(file), title, metadata };
}

/** What parts have that are not read: the path, the start of each element, and the name of its kind. */
const UNREAD: readonly (readonly [path: RegExp, element: string, kind: string])[] = [
  [/(?:^|\/)comments\d*\.xml$/, '<comment ', 'comment'],
  [/(?:^|\/)charts\/chart\d*\.xml$/, ':plotArea>', 'chart'],
  [/(?:^|\/)drawings\/drawing\d*\.xml$/, '<xdr:txBody>', 'text_box'],
];

function leftOutOf({ paths, part }: OfficeFile): Record<string, number> {
  const leftOut: Record<string, number> = {};
  for (const [pattern, element, kind] of UNREAD)
    for (const path of paths.filter((one) => pattern.test(one))) {
      const { buffer, byteOffset, length } = part(path);
      const bytes = Buffer.from(buffer, byteOffset, length);
      const isChart = kind === 'chart';
      let count = 0;
      for (let at = bytes.indexOf(element); at !== -1; at = bytes.indexOf(element, at + 1)) count++;
      if (count > 0) leftOut[kind] = (leftOut[kind] ?? 0) + (isChart ? 1 : count);
    }
  return leftOut;
}

/** The attributes that are read in the parts of a workbook. */
const VALUE = new Set(['val']);
const OF_FORMATS = new Set(['numFmtId', 'formatCode']);
const OF_ROWS = new Set(['r', 's', 't', 'val']);

function readStrings(bytes: Uint8Array, path: string): string[] {
  const strings: string[] = [];
  const text = textReader();
  readXml(bytes, path, {
    attributes: VALUE,
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
  let isRaised = false;
  let collected = '';
  return {
    open(name: string, { val }: XmlAttributes): void {
      if (name === 'rPh') isReading = true;
      if (name === 'r') isRaised = false;
      if (name === 'vertAlign') isRaised = val === 'superscript';
      isText = !isReading && (name === 't' || name === 'v');
    },
    text(text: string): void {
      if (isText) collected += isRaised ? raised(text) : text;
    },
    close(name: string): void {
      if (name === 'rPh') isReading = false;
      if (name === 'r') isRaised = false;
      isText = false;
    },
    take(): string {
      const all = collected;
      collected = '';
      return all;
    },
  };
}

function readFormats(bytes: Uint8Array, path: string): CellFormat[] {
  const codes = new Map<number, string>();
  const known = new Map<number, CellFormat>();
  const formats: CellFormat[] = [];
  let isOfCells = false;
  readXml(bytes, path, {
    attributes: OF_FORMATS,
    open(name, { numFmtId, formatCode = '' }) {
      const id = Number(numFmtId ?? 0);
      if (name === 'numFmt') codes.set(id, formatCode);
      else if (name === 'cellXfs') isOfCells = true;
      else if (name === 'xf' && isOfCells) {
        const format = known.get(id) ?? formatOf(id, codes.get(id));
        known.set(id, format);
        formats.push(format);
      }
    },
    close(name) {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return formats;
}

function readRows(bytes: Uint8Array, path: string, meaning: Meaning, visit: (row: Row) => void): void {
  let row = { number: 0, cells: new Map<number, string>(), hasNumbers: false, unsaved: 0 };
  let isInRow = false;
  let column = 0;
  let cell: Cell = { type: 'n', style: 0 };
  let formula: string | undefined;
  let isFormula = false;
  const text = textReader();
  const move = (to: number): void => {
    if (!(to >= 1 && to <= MAX_COLUMNS)) throw damaged(path);
    column = to;
  };
  const endCell = (written: string, { type }: Cell): void => {
    const isUnsaved = formula !== undefined && written === '' && type !== 'str';
    if (isUnsaved) row.unsaved++;
    const value = isUnsaved && formula !== '' ? cellText(`=${formula}`) : textOf(cell, written, meaning);
    if (value === undefined) throw damaged(path);
    if (value !== '') row.cells.set(column, value);
    row.hasNumbers ||= written !== '' && !TEXT_TYPES.has(type);
  };
  readXml(bytes, path, {
    attributes: OF_ROWS,
    readAhead(xml, at) {
      if (!isInRow) return at;
      let next = at;
      for (let end = readPlainCell(xml, next); end > next; end = readPlainCell(xml, next)) {
        next = end;
        cell = PLAIN;
        formula = undefined;
        move(PLAIN.column === 0 ? column + 1 : PLAIN.column);
        endCell(PLAIN.written, PLAIN);
      }
      if (next > at) text.take();
      return next;
    },
    open(name, attributes) {
      isInRow = name === 'row';
      if (name === 'row') {
        const number = attributes.r === undefined ? row.number + 1 : rowOf(attributes.r);
        if (!(number >= 1 && number <= MAX_ROWS)) throw damaged(path);
        row = { number, cells: new Map(), hasNumbers: false, unsaved: 0 };
        column = 0;
      } else if (name === 'c') {
        const { t: type = 'n', s: style } = attributes;
        cell = { type, style: Number(style ?? 0) };
        formula = undefined;
        move(attributes.r === undefined ? column + 1 : columnOf(attributes.r));
        text.take();
      }
      isFormula = name === 'f';
      if (isFormula) formula ??= '';
      text.open(name, attributes);
    },
    text(part) {
      if (isFormula) formula += part;
      text.text(part);
    },
    close(name) {
      text.close(name);
      isFormula = false;
      isInRow = name === 'c';
      if (name === 'c') endCell(text.take(), cell);
      else if (name === 'row' && (row.cells.size > 0 || row.unsaved > 0)) visit(row);
    },
  });
}

const TEXT_TYPES: ReadonlySet<string> = new Set(['s', 'str', 'inlineStr', 'e']);

/** The text of a cell; undefined if its shared string does not exist. */
function textOf({ type, style }: Cell, written: string, meaning: Meaning) {
  if (written === '') return '';
  const { strings, from1904 } = meaning;
  const format = meaning.formats[style] ?? UNFORMATTED;
  if (type === 'b') return isTrue(written) ? 'TRUE' : 'FALSE';
  if (type === 'n') return cellText(numberText(written, format, from1904));
  const text = type === 's' ? strings[Number(written)] : cellText(written);
  const ofText = format.kind === 'number' && type !== 'e' ? format.format?.text : undefined;
  if (ofText === undefined || text === undefined) return text;
  // The text is escaped already.
  return escapeCell(ofText('\0').trim()).replaceAll('\0', () => text);
}

function cellText(text: string): string {
  return escapeCell(decodeEscapes(text).toWellFormed().trim());
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
