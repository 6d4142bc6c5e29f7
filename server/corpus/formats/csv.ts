import { isUtf8 } from 'node:buffer';
import { invalid, ServiceError } from '../../../core/errors.ts';
import type { ShardRange, SourceDocument } from '../shard.ts';
import type { Storage, StoredFile } from '../storage.ts';
import { unreadable } from '../unreadable.ts';
import { decompressed, Shares, uncompressedName } from './compression.ts';
import { csvFields } from './csv-fields.ts';
import { type CsvRecord, CsvRecords } from './csv-records.ts';
import { quoted } from './document-line.ts';
import { defaultMapping, mapRow, noTextColumn, type Row } from './map-fields.ts';
import type { ReadOptions, SourceLines } from './reading.ts';

const TAB = 0x09;
const DELIMITERS = [...Buffer.from(',;\t|')];
const BYTE_ORDER_MARK = /^\ufeff/;
const UTF_16 = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/** What the first record of a file says. */
interface Header {
  readonly names: readonly string[];
  /** One byte. */
  readonly delimiter: number;
}

/**
 * The documents of the rows of CSV with a header. What separates fields is a tab in a file `.tsv`, and else that of `,`, `;`,
 * tab and `|` which the header has most of.
 *
 * @throws ServiceError `source_unreadable` if there is no header, or it names a column twice
 */
export async function* readCsv(storage: Storage, { files }: ShardRange, options: ReadOptions): SourceLines {
  for (const file of files) yield* readTable(file, storage.read(file), options);
}

async function* readTable(file: StoredFile, bytes: AsyncIterable<Buffer>, options: ReadOptions): SourceLines {
  const delimiters = /\.(tsv|tab)$/i.test(uncompressedName(file.name)) ? [TAB] : DELIMITERS;
  const records = new CsvRecords(options.limit, delimiters);
  const shares = new Shares(file);
  let header: Header | undefined;
  let problem: ServiceError | undefined;
  let row = 0;

  function* take(isEnd: boolean): Generator<readonly SourceDocument[]> {
    if (header === undefined) {
      const first = records.take(isEnd);
      if (first === undefined) return;
      header = readHeader(file, first, delimiters);
      records.delimiter = header.delimiter;
      problem = noTextColumn(header.names, options.fields);
    }
    if (problem !== undefined) return;
    const taken: CsvRecord[] = [];
    for (let one = records.take(isEnd); one !== undefined; one = records.take(isEnd)) taken.push(one);
    const { names, delimiter } = header;
    yield taken.map(({ byte, size, content }) => ({
      place: { source: file.name, byte, row: row++ },
      size: shares.of(size),
      document: documentOf(content, { names, delimiter }, options),
    }));
  }

  for await (const piece of decompressed(file, bytes, options)) {
    records.add(piece);
    yield* take(false);
    if (problem !== undefined) break;
  }
  yield* take(true);
  if (problem !== undefined)
    yield [{ place: { source: file.name }, size: file.size, document: problem, isOfMany: true }];
}

function readHeader({ name }: StoredFile, { content }: CsvRecord, delimiters: readonly number[]): Header {
  if (content === undefined) throw unreadable(name, 'its header is longer than a document may be');
  if (UTF_16.some((mark) => mark.equals(content.subarray(0, 2)))) {
    throw unreadable(name, 'it is UTF-16: save it as UTF-8');
  }
  if (!isUtf8(content)) throw unreadable(name, 'its header is not valid UTF-8');
  const unquoted = Buffer.from(content.toString().replace(/"[^"]*"/g, ''));
  const counts = delimiters.map((delimiter) => unquoted.filter((byte) => byte === delimiter).length);
  const delimiter = delimiters[counts.indexOf(Math.max(...counts))] as number;
  const text = Buffer.from(content.toString().replace(BYTE_ORDER_MARK, ''));
  const names = (csvFields(text, delimiter) ?? []).map(
    (column, index) => column.trim() || `column_${index + 1}`,
  );
  const twice = names.find((column, index) => names.indexOf(column) < index);
  if (twice !== undefined) throw unreadable(name, `its header has the column ${twice} twice`);
  if (names.length === 0) throw unreadable(name, 'its header is not valid CSV');
  return { names, delimiter };
}

/** The line of a record, or what is wrong with it. */
function documentOf(content: Buffer | undefined, header: Header, options: ReadOptions) {
  try {
    if (content === undefined) {
      throw new ServiceError('line_too_large', { what: 'The row', limit: options.limit });
    }
    if (!isUtf8(content)) throw invalid('the row: it is not valid UTF-8');
    return lineOf(csvFields(content, header.delimiter), header.names, options);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

function lineOf(fields: readonly string[] | undefined, names: readonly string[], options: ReadOptions) {
  if (fields === undefined) throw invalid('the row: a quoted field does not end with its closing quote');
  if (fields.length !== names.length) {
    throw invalid(`the row: it has ${fields.length} fields, and the header ${names.length}`);
  }
  const values = new Map(names.map((name, index) => [name, fields[index]]));
  const row: Row = {
    names,
    value: (name) => values.get(name),
    json: (name) => quoted(values.get(name) ?? ''),
  };
  return mapRow(row, options.fields ?? defaultMapping(names), options.fields !== undefined);
}
