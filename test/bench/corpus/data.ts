import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { createRandom, pick } from '../../support/random.ts';
import { generateEnglish } from '../data/generated.ts';

/** A folder of Markdown or a file of JSON Lines. */
export interface Corpus {
  readonly path: string;
  readonly bytes: number;
  readonly documents: number;
}

/** Characters of a line's text. */
export const DOCUMENT = 4300;
/** Bytes of the sections that documents are put together from. */
const POOL_BYTES = 8e6;

/** Documents of Markdown that are all distinct, and the same in every run. @param length characters of each */
function* documents(seed: number, length: number): Generator<string, never> {
  const random = createRandom(seed);
  const sections = generateEnglish(POOL_BYTES).split(/(?<=\n\n)(?=#)/);
  for (let number = 1; ; number++) {
    const parts = [`# Document ${number}\n\n`];
    for (let size = 0; size < length; size += (parts.at(-1) as string).length)
      parts.push(pick(random, sections));
    yield parts.join('').slice(0, length).toWellFormed();
  }
}

/**
 * Lines of JSON of at least so many bytes together.
 *
 * @param length characters of the text of each
 * @param texts of files whose names have this ending; by default Markdown, of names without one
 */
export function* jsonLines(
  bytes: number,
  length: number,
  texts: Iterable<string> = documents(2, length),
  ending = '',
): Generator<Buffer> {
  let [made, number] = [0, 0];
  for (const text of texts) {
    const line = Buffer.from(`${JSON.stringify({ id: `d${++number}${ending}`, text })}\n`);
    yield line;
    made += line.length;
    if (made >= bytes) return;
  }
}

/** Writes a folder of Markdown. */
export function writeFiles(path: string, count: number, length: number): Corpus {
  mkdirSync(path);
  const texts = documents(1, length);
  let bytes = 0;
  for (let number = 0; number < count; number++) {
    const text = Buffer.from(texts.next().value);
    writeFileSync(join(path, `${String(number).padStart(5, '0')}.md`), text);
    bytes += text.length;
  }
  return { path, bytes, documents: count };
}

/** Writes documents as JSON Lines, each different. */
export function writeLines(path: string, ...lines: Parameters<typeof jsonLines>): Corpus {
  const file = openSync(path, 'w');
  let [bytes, documents] = [0, 0];
  for (const line of jsonLines(...lines)) {
    bytes += writeSync(file, line);
    documents++;
  }
  closeSync(file);
  return { path, bytes, documents };
}

/** The same documents in each format. */
export type FormatCorpora = Readonly<Record<'jsonl' | 'csv' | 'parquet', Corpus>>;

/** Bytes of JSON Lines that are a row group of Parquet. */
const ROW_GROUP = 8e6;

/** Writes `<name>.jsonl`, `.csv` and `.parquet`. @param most bytes of JSON Lines, all of which are in memory for Parquet */
export function writeFormats(folder: string, name: string, most: number, length: number): FormatCorpora {
  const jsonl = writeLines(join(folder, `${name}.jsonl`), most, length);
  const rows = readFileSync(jsonl.path, 'utf8')
    .split('\n', jsonl.documents)
    .map((line) => JSON.parse(line) as { readonly id: string; readonly text: string });
  const write = (ending: string, content: string | Buffer): Corpus => {
    const path = join(folder, `${name}.${ending}`);
    writeFileSync(path, content);
    return { ...jsonl, path };
  };
  const csv = rows.map(({ id, text }) => `${id},"${text.replaceAll('"', '""')}"\n`);
  const parquet = parquetWriteBuffer({
    columnData: (['id', 'text'] as const).map((name) => ({ name, data: rows.map((row) => row[name]) })),
    rowGroupSize: Math.ceil((ROW_GROUP * rows.length) / jsonl.bytes),
  });
  return {
    jsonl,
    csv: write('csv', `id,text\n${csv.join('')}`),
    parquet: write('parquet', Buffer.from(parquet)),
  };
}
