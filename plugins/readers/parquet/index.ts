import type { FileMetaData } from 'hyparquet';
import { type Factory, reasonOf, refusedError, type SourcePlace } from '../../../core/kit.ts';
import { delimiterRow, tableRow } from '../../toolkit/markdown/index.ts';
import {
  DECOMPRESSORS,
  EXACT_PARSERS,
  PARSERS,
  problemOfGroups,
  withExactLeaves,
} from '../../toolkit/parquet/index.ts';
import { type CellWriter, createCellWriter } from './cells.ts';
import type manifest from './manifest.ts';

/** Maximum rows, and UTF-16 units of the text. */
const MAX_ROWS = 1_000_000;
const MAX_TEXT = 64 * 1024 * 1024;
/** Rows that are decoded together. */
const TOGETHER = 20_000;
/** Maximum places. A file with more rows has places of several rows. */
const MAX_PLACES = 100_000;
const REMEDY = 'write it with fewer rows or columns, or let a job read it, whose documents are rows';

type Hyparquet = typeof import('hyparquet');

const createParquetReader: Factory<typeof manifest> = async () => {
  const [hyparquet, { compressors }] = await Promise.all([
    import('hyparquet'),
    import('hyparquet-compressors'),
  ]);
  return {
    async read({ bytes }, { signal }) {
      signal.throwIfAborted();
      const file = Uint8Array.from(bytes).buffer;
      const metadata = metadataOf(file, hyparquet);
      const { children } = hyparquet.parquetSchema(metadata);
      const rows = Number(metadata.num_rows);
      if (rows > MAX_ROWS) throw refusal(`it has more than ${MAX_ROWS} rows; ${REMEDY}`);
      const cells = createCellWriter(children.map(({ element }) => element));
      const table = new Table(
        children.map(({ element }) => element.name),
        cells,
        rows,
      );
      for (let from = 0; from < rows; from += TOGETHER) {
        signal.throwIfAborted();
        table.add(await decoded(file, metadata, from));
      }
      const { text, places } = table;
      return {
        text,
        places,
        mediaType: 'text/markdown',
        metadata: { rows, columns: children.length },
        ...(cells.binary > 0 && { leftOut: { binary_value: cells.binary } }),
      };
    },
  };

  async function decoded(file: ArrayBuffer, metadata: FileMetaData, from: number): Promise<unknown[][]> {
    let rows: unknown[][] = [];
    try {
      await hyparquet.parquetRead({
        file,
        metadata: { ...metadata, schema: withExactLeaves(metadata.schema) },
        rowStart: from,
        rowEnd: Math.min(from + TOGETHER, Number(metadata.num_rows)),
        compressors: { ...compressors, ...DECOMPRESSORS },
        parsers: { ...PARSERS, ...EXACT_PARSERS },
        utf8: false,
        onComplete: (read: unknown[][]) => {
          rows = read;
        },
      });
    } catch (error) {
      // A `RangeError` about memory or the stack is for the server, which names the limit.
      if (error instanceof RangeError && /call stack|allocation|Invalid/.test(error.message)) throw error;
      throw refusal(`it is damaged (${shortened(error)})`, error);
    }
    return rows;
  }
};

export default createParquetReader;

/** The magic number at both ends of a file, and the length of the metadata before the last one. */
const MAGIC = 4;
const TAIL = 8;
const MAX_METADATA = 32 * 1024 * 1024;
const MAX_COLUMNS = 10_000;

/** @throws Error for callers if the file is not Parquet, is encrypted, or its metadata is damaged */
function metadataOf(file: ArrayBuffer, { parquetMetadata }: Hyparquet): FileMetaData {
  const bytes = Buffer.from(file);
  const end = bytes.toString('latin1', Math.max(bytes.length - MAGIC, 0));
  if (end === 'PARE') throw refusal('it is encrypted; write it without encryption');
  if (bytes.length < MAGIC + TAIL || end !== 'PAR1' || bytes.toString('latin1', 0, MAGIC) !== 'PAR1')
    throw refusal('it is not Parquet, or not all of a file: it does not begin and end with PAR1');
  const length = bytes.readUInt32LE(bytes.length - TAIL);
  if (length > Math.min(bytes.length - MAGIC - TAIL, MAX_METADATA))
    throw refusal('its metadata is longer than the file or the limit');
  let metadata: FileMetaData;
  try {
    metadata = parquetMetadata(file, { parsers: PARSERS, geoparquet: false });
  } catch (error) {
    throw refusal(`its metadata is damaged (${shortened(error)})`, error);
  }
  const { schema, row_groups: groups } = metadata;
  const problem = problemOfGroups(groups, bytes.length - TAIL);
  if (problem !== undefined) throw refusal(problem);
  if (schema.length > MAX_COLUMNS) throw refusal(`it has more than ${MAX_COLUMNS} columns; ${REMEDY}`);
  // Some writers count the rows of the file wrongly.
  return { ...metadata, num_rows: groups.reduce((total, group) => total + group.num_rows, 0n) };
}

const MAX_REASON = 200;
const shortened = (error: unknown): string => reasonOf(error).replace(/\s+/g, ' ').slice(0, MAX_REASON);

function refusal(reason: string, cause?: unknown): Error {
  return refusedError(`The file cannot be read: ${reason}.`, cause);
}

/** Writes rows as a table, with the places of the rows. */
class Table {
  readonly places: SourcePlace[] = [];
  readonly #parts: string[];
  readonly #cells: CellWriter;
  /** Rows of a place. */
  readonly #step: number;
  #length: number;
  #row = 0;

  constructor(names: readonly string[], cells: CellWriter, rows: number) {
    const head = names.length === 0 ? '' : `${tableRow(names)}\n${delimiterRow(names.length)}`;
    this.#parts = [head];
    this.#length = head.length;
    this.#cells = cells;
    this.#step = Math.ceil(rows / MAX_PLACES);
  }

  get text(): string {
    return this.#parts.join('');
  }

  add(rows: readonly (readonly unknown[])[]): void {
    for (const row of rows) {
      const line = tableRow(row.map((value, column) => this.#cells.write(value, column)));
      this.#row++;
      this.#parts.push('\n', line);
      const start = this.#length + 1;
      this.#length = start + line.length;
      if (this.#length > MAX_TEXT)
        throw refusal(`it has more than ${MAX_TEXT} characters of text; ${REMEDY}`);
      const last = this.places.at(-1);
      const isNew = (this.#row - 1) % this.#step === 0;
      if (isNew || last === undefined) this.places.push({ start, end: this.#length, row: this.#row });
      else this.places[this.places.length - 1] = { ...last, end: this.#length, last_row: this.#row };
    }
  }
}
