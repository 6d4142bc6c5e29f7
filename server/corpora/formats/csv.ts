import { isUtf8 } from 'node:buffer';
import { setImmediate as turn } from 'node:timers/promises';
import { invalid, ServiceError } from '../../../core/errors.ts';
import type { ShardRange, SourceDocument } from '../shard.ts';
import { type SourceStorage, type StoredFile, unreadable } from '../storage/storage.ts';
import { decompressed, sharesOf, uncompressedName } from './compression.ts';
import { CsvRecords, csvFields } from './csv-records.ts';
import {
  columnsProblem,
  defaultMapping,
  mapRow,
  noTextColumn,
  orError,
  type Row,
  withoutMark,
} from './map-fields.ts';
import type { RawLine, ReadOptions, SourceLines } from './reading.ts';

const TAB = 0x09;
/** Bytes of rows that are read without a break, while this thread does nothing else. */
const TOGETHER = 64 * 1024;
const DELIMITERS = [...Buffer.from(',;\t|')];
const UTF_16 = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/** The header of a file. */
interface Header {
  readonly names: readonly string[];
  /** One byte. */
  readonly delimiter: number;
}

/**
 * The documents in the rows of CSV with a header. The delimiter is a tab in a file `.tsv`; otherwise it is the one of
 * `,`, `;`, tab and `|` that the header has most of, unless a first line `sep=;` names it.
 *
 * @throws ServiceError `source_unreadable` if there is no header, or it names a column twice
 */
export async function* readCsv(
  storage: SourceStorage,
  { files }: ShardRange,
  options: ReadOptions,
): SourceLines {
  for (const file of files) yield* readTable(file, storage.read(file), options);
}

async function* readTable(file: StoredFile, bytes: AsyncIterable<Buffer>, options: ReadOptions): SourceLines {
  let delimiters = /\.(tsv|tab)$/i.test(uncompressedName(file.name)) ? [TAB] : DELIMITERS;
  const records = new CsvRecords(options.limit, delimiters);
  const share = sharesOf(file);
  let header: Header | undefined;
  let problem: ServiceError | undefined;
  let row = 0;

  async function* take(isEnd: boolean): AsyncGenerator<readonly SourceDocument[]> {
    if (header === undefined) {
      let first = records.take(isEnd);
      const separator = first && separatorOf(first);
      if (separator !== undefined) {
        if (delimiters === DELIMITERS) delimiters = [separator];
        records.delimiters = delimiters;
        first = records.take(isEnd);
      }
      if (first === undefined) return;
      header = readHeader(file, first, delimiters);
      records.delimiters = [header.delimiter];
      problem = noTextColumn(header.names, options.fields);
    }
    if (problem !== undefined) return;
    const known = header;
    for (const taken of together(records, isEnd)) {
      yield taken.map(({ byte, size, content }) => ({
        place: { source: file.name, byte, row: row++ },
        size: share(size),
        document: orError(() => lineOf(content, known, options)),
      }));
      await turn();
    }
  }

  for await (const piece of decompressed(file, bytes, options.limit)) {
    records.add(piece);
    yield* take(false);
    if (problem !== undefined) break;
  }
  yield* take(true);
  if (problem !== undefined)
    yield [{ place: { source: file.name }, size: file.size, document: problem, isOfMany: true }];
}

function* together(records: CsvRecords, isEnd: boolean): Generator<readonly RawLine[]> {
  let taken: RawLine[] = [];
  let bytes = 0;
  for (let one = records.take(isEnd); one !== undefined; one = records.take(isEnd)) {
    taken.push(one);
    bytes += one.size;
    if (bytes < TOGETHER) continue;
    yield taken;
    [taken, bytes] = [[], 0];
  }
  if (taken.length > 0) yield taken;
}

/** The delimiter that a first line such as `sep=;` names for Excel; programs may write it again in each field. */
function separatorOf({ byte, content }: RawLine): number | undefined {
  if (byte > 0 || content === undefined || content.length > MAX_SEPARATOR_LINE) return undefined;
  const line = withoutMark(content).toString('latin1');
  const [, quoted, bare] = SEPARATOR_LINE.exec(line) ?? [];
  return (quoted ?? bare)?.charCodeAt(0);
}

const MAX_SEPARATOR_LINE = 1000;
const SEPARATOR_LINE = /^(?:"sep=([\t !#-~])"\1*|sep=([\t !#-~])\2*) *$/i;

function readHeader({ name }: StoredFile, { content }: RawLine, delimiters: readonly number[]): Header {
  if (content === undefined) throw unreadable(name, 'its header exceeds the limit for a document');
  if (UTF_16.some((mark) => mark.equals(content.subarray(0, 2)))) {
    throw unreadable(name, 'it is UTF-16: save it as UTF-8');
  }
  if (!isUtf8(content)) throw unreadable(name, 'its header is not valid UTF-8');
  const unquoted = Buffer.from(content.toString().replace(/"[^"]*"/g, ''));
  const counts = delimiters.map((delimiter) => unquoted.filter((byte) => byte === delimiter).length);
  const delimiter = delimiters[counts.indexOf(Math.max(...counts))] as number;
  const names = (csvFields(withoutMark(content), delimiter) ?? []).map(
    (column, index) => Buffer.from(column, 'latin1').toString().trim() || `column_${index + 1}`,
  );
  const problem = columnsProblem(names);
  if (problem !== undefined) throw unreadable(name, `its header has ${problem}`);
  if (names.length === 0) throw unreadable(name, 'its header is not valid CSV');
  return { names, delimiter };
}

function lineOf(content: Buffer | undefined, { names, delimiter }: Header, options: ReadOptions): Buffer {
  if (content === undefined) {
    throw new ServiceError('line_too_large', { what: 'The row', limit: options.limit });
  }
  if (!isUtf8(content)) throw invalid('the row is not valid UTF-8');
  const fields = csvFields(content, delimiter);
  if (fields === undefined)
    throw invalid('the row has a quoted field that does not end with its closing quote');
  if (fields.length !== names.length) {
    throw invalid(`the row has ${fields.length} fields, but the header ${names.length}`);
  }
  const values = new Map(names.map((name, index) => [name, fields[index]]));
  const row: Row = {
    names,
    value: (name) => values.get(name),
    json: (name) => Buffer.from(JSON.stringify(values.get(name)), 'latin1'),
  };
  return mapRow(row, options.fields ?? defaultMapping(names), options.fields !== undefined);
}
