import type { ColumnMetaData } from 'hyparquet';
import { decompressPage } from './decompress.ts';
import { checkPrefixes, checkRuns } from './runs.ts';
import { ThriftReader, type ThriftStruct, type ThriftValue } from './thrift.ts';

const [DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2] = [0, 2, 3];
/** Encodings by which a few bytes stand for many. */
const [PLAIN_DICTIONARY, RLE, DELTA_BYTE_ARRAY, RLE_DICTIONARY] = [2, 3, 7, 8];
const LENGTH_BYTES = 4;
/** Most values of a column in a row group, those of lists included. */
const MOST_VALUES = 20_000_000;

/** How a column stands in the rows: whether each has one value of it, and how many levels of lists and options there are. */
export interface ColumnShape {
  readonly isFlat: boolean;
  readonly repetition: number;
  readonly definition: number;
}

/** A page of data. */
interface DataPage {
  readonly values: number;
  readonly encoding: number;
  /** Its levels and values, decompressed. */
  readonly levels: readonly Uint8Array[];
  readonly content: Uint8Array;
}

/**
 * Goes through the pages of a column, and refuses what would have a reader that trusts them take memory or time for values
 * that are not there.
 *
 * @param chunk its bytes in the file
 * @param most bytes that its pages may take once they are decompressed
 * @returns the bytes that they take
 * @throws Error in words
 */
export function checkPages(
  chunk: Uint8Array,
  column: ColumnMetaData,
  shape: ColumnShape,
  most: { readonly rows: number; readonly bytes: number },
): number {
  const name = column.path_in_schema.join('.');
  const mostValues = shape.isFlat ? most.rows : MOST_VALUES;
  let [at, bytes, values] = [0, 0, 0];
  while (at < chunk.length - 1 && !(shape.isFlat && values >= most.rows)) {
    const reader = new ThriftReader(chunk, at);
    const header = reader.struct();
    const [type, plain, packed] = [numberOf(header, 1), numberOf(header, 2), numberOf(header, 3)];
    at = reader.at + packed;
    if (plain < 0 || packed < 0 || at > chunk.length)
      throw new Error(`a page of ${name} is longer than the column`);
    bytes += plain;
    if (bytes > most.bytes)
      throw new Error('a row group takes too many bytes: write it with smaller row groups');
    if (type === DICTIONARY_PAGE) countOf(header.get(7), MOST_VALUES, name);
    else {
      const page = dataPage(header, type, chunk.subarray(reader.at, at), column, shape, mostValues - values);
      checkContent(page, column, shape, most.bytes);
      values += page.values;
    }
  }
  const isWhole = shape.isFlat ? values === most.rows : values >= most.rows;
  if (!isWhole) throw new Error(`the column ${name} has ${values} values for ${most.rows} rows`);
  return bytes;
}

function dataPage(
  header: ThriftStruct,
  type: number,
  bytes: Uint8Array,
  column: ColumnMetaData,
  shape: ColumnShape,
  mostValues: number,
): DataPage {
  const name = column.path_in_schema.join('.');
  const plain = numberOf(header, 2);
  if (type === DATA_PAGE) {
    const about = structOf(header.get(5));
    const values = countOf(about, mostValues, name);
    const page = decompressPage(bytes, plain, column.codec);
    return { values, encoding: numberOf(about, 2), ...withoutLevels(page, shape) };
  }
  if (type !== DATA_PAGE_V2) throw new Error(`the column ${name} has a page of an unknown type ${type}`);
  const about = structOf(header.get(8));
  const values = countOf(about, mostValues, name);
  const [nulls, definition, repetition] = [numberOf(about, 2), numberOf(about, 5), numberOf(about, 6)];
  const levels = definition + repetition;
  if (
    nulls < 0 ||
    nulls > values ||
    definition < 0 ||
    repetition < 0 ||
    levels > Math.min(bytes.length, plain)
  ) {
    throw new Error(`a page of ${name} has counts that cannot be`);
  }
  const packed = bytes.subarray(levels);
  const isPacked = about.get(7) !== false;
  const content = isPacked ? decompressPage(packed, plain - levels, column.codec) : packed;
  const parts = [bytes.subarray(0, repetition), bytes.subarray(repetition, levels)];
  return { values, encoding: numberOf(about, 4), levels: parts, content };
}

/** In a page of the first version the levels stand before the values, each with its length before it. */
function withoutLevels(page: Uint8Array, { repetition, definition }: ColumnShape) {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  let at = 0;
  const levels = [repetition, definition].map((level) => {
    if (level === 0) return page.subarray(0, 0);
    const length = view.getUint32(at, true);
    at += LENGTH_BYTES + length;
    if (at > page.length) throw new Error('a page is cut off');
    return page.subarray(at - length, at);
  });
  return { levels, content: page.subarray(at) };
}

function checkContent(page: DataPage, { type }: ColumnMetaData, shape: ColumnShape, mostBytes: number): void {
  const { values, encoding, content, levels } = page;
  for (const [index, level] of [shape.repetition, shape.definition].entries()) {
    if (level > 0) checkRuns(levels[index] as Uint8Array, 32 - Math.clz32(level), values);
  }
  if (encoding === DELTA_BYTE_ARRAY) checkPrefixes(content, values, mostBytes);
  if (encoding === RLE && type === 'BOOLEAN') checkRuns(content.subarray(LENGTH_BYTES), 1, values);
  else if (encoding === RLE || encoding === PLAIN_DICTIONARY || encoding === RLE_DICTIONARY) {
    checkRuns(content.subarray(1), content[0] ?? 0, values);
  }
}

/** The count of values of a page. */
function countOf(about: ThriftValue, most: number, name: string): number {
  const count = numberOf(structOf(about), 1);
  if (count >= 0 && count <= most) return count;
  throw new Error(`a page of ${name} has a count of ${count} values, which cannot be`);
}

function structOf(value: ThriftValue): ThriftStruct {
  if (value instanceof Map) return value;
  throw new Error('a page has no header');
}

function numberOf(struct: ThriftStruct, field: number): number {
  const value = struct.get(field);
  if (typeof value === 'number') return value;
  throw new Error('the header of a page is not complete');
}
