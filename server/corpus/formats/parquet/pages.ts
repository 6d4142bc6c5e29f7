import type { ColumnMetaData } from 'hyparquet';
import { ThriftReader, type ThriftStruct, type ThriftValue } from './thrift.ts';

const [DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2] = [0, 2, 3];
/** Most values of a column in a row group, those of lists included. */
const MOST_VALUES = 20_000_000;

/** What the pages of a column come to. */
export interface PageSums {
  /** Bytes of the pages once they are decompressed. */
  readonly bytes: number;
  readonly values: number;
}

/**
 * Goes through the headers of the pages of a column, and refuses what would have a reader that trusts them take memory for
 * values that are not there.
 *
 * @param chunk its bytes in the file
 * @param rows of the row group
 * @param isFlat whether each row has one value
 * @throws Error in words
 */
export function checkPages(
  chunk: Uint8Array,
  column: ColumnMetaData,
  rows: number,
  isFlat: boolean,
): PageSums {
  const name = column.path_in_schema.join('.');
  const most = isFlat ? rows : MOST_VALUES;
  let [at, bytes, values] = [0, 0, 0];
  while (at < chunk.length - 1 && !(isFlat && values >= rows)) {
    const reader = new ThriftReader(chunk, at);
    const page = reader.struct();
    const [type, plain, packed] = [numberOf(page, 1), numberOf(page, 2), numberOf(page, 3)];
    if (plain < 0 || packed < 0 || reader.at + packed > chunk.length) {
      throw new Error(`a page of the column ${name} is longer than the column`);
    }
    values += valuesOf(page, type, name);
    if (values > most) throw new Error(`the column ${name} has more values than rows`);
    bytes += plain;
    at = reader.at + packed;
  }
  if (isFlat ? values !== rows : values < rows) {
    throw new Error(`the column ${name} has ${values} values for ${rows} rows`);
  }
  return { bytes, values };
}

/** The values of a page of data; a dictionary has none. */
function valuesOf(page: ThriftStruct, type: number, name: string): number {
  if (type === DICTIONARY_PAGE) {
    const count = numberOf(structOf(page.get(7)), 1);
    if (count >= 0 && count <= MOST_VALUES) return 0;
  } else if (type === DATA_PAGE || type === DATA_PAGE_V2) {
    const header = structOf(page.get(type === DATA_PAGE ? 5 : 8));
    const [count, nulls] = [numberOf(header, 1), type === DATA_PAGE ? 0 : numberOf(header, 2)];
    if (count >= 0 && nulls >= 0 && nulls <= count) return count;
  } else throw new Error(`the column ${name} has a page of an unknown type ${type}`);
  throw new Error(`a page of the column ${name} has a count that cannot be`);
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
