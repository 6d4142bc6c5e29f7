import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { generateEnglish } from '../data/generated.ts';
import { createRandom, pick } from '../data/random.ts';

/** What a corpus is made of. */
export interface CorpusSize {
  readonly files: number;
  /** Characters of a file. */
  readonly fileLength: number;
  /** Bytes of the file of JSON Lines. */
  readonly linesBytes: number;
  /** Characters of the text of a line. */
  readonly lineLength: number;
}

/** A folder of Markdown and a file of JSON Lines, with the bytes that they have. */
export interface Corpus {
  readonly files: CorpusPart;
  readonly lines: CorpusPart;
}

export interface CorpusPart {
  /** A folder, or a file. */
  readonly path: string;
  readonly bytes: number;
  readonly documents: number;
}

/** Bytes of the sections that documents are put together from. */
const POOL_BYTES = 8e6;
/** Bytes that are written at once. */
const PIECE_BYTES = 1e6;

/** Documents of Markdown that are all distinct, and the same in every run. */
export function* documents(seed: number, length: number): Generator<string, never> {
  const random = createRandom(seed);
  const sections = generateEnglish(POOL_BYTES).split(/(?<=\n\n)(?=#)/);
  for (let number = 1; ; number++) {
    const parts = [`# Document ${number}\n\n`];
    for (let size = 0; size < length; size += (parts.at(-1) as string).length)
      parts.push(pick(random, sections));
    yield parts.join('').slice(0, length).toWellFormed();
  }
}

/** Pieces of JSON Lines of at least so many bytes together. */
export function* jsonLines(bytes: number, length: number): Generator<Buffer> {
  let [piece, number, made] = ['', 0, 0];
  for (const text of documents(2, length)) {
    piece += `${JSON.stringify({ id: `d${++number}`, text })}\n`;
    if (piece.length < PIECE_BYTES && made + piece.length < bytes) continue;
    const buffer = Buffer.from(piece);
    yield buffer;
    made += buffer.length;
    piece = '';
    if (made >= bytes) return;
  }
}

/** Writes a corpus into a folder. */
export function writeCorpus(folder: string, size: CorpusSize): Corpus {
  return {
    files: writeFiles(join(folder, 'files'), size),
    lines: writeLines(join(folder, 'corpus.jsonl'), size),
  };
}

function writeFiles(path: string, { files, fileLength }: CorpusSize): CorpusPart {
  mkdirSync(path);
  const texts = documents(1, fileLength);
  let bytes = 0;
  for (let number = 0; number < files; number++) {
    const text = Buffer.from(texts.next().value);
    writeFileSync(join(path, `${String(number).padStart(5, '0')}.md`), text);
    bytes += text.length;
  }
  return { path, bytes, documents: files };
}

function writeLines(path: string, { linesBytes, lineLength }: CorpusSize): CorpusPart {
  const file = openSync(path, 'w');
  let [bytes, lines] = [0, 0];
  for (const piece of jsonLines(linesBytes, lineLength)) {
    writeSync(file, piece);
    bytes += piece.length;
    for (const byte of piece) if (byte === LINE_FEED) lines++;
  }
  closeSync(file);
  return { path, bytes, documents: lines };
}

const LINE_FEED = 0x0a;
