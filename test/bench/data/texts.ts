import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createRandom } from '../../support/random.ts';
import { scaled } from '../flags.ts';
import { generateEnglish, generateMultilingual } from './generated.ts';

export interface Text {
  readonly name: string;
  readonly text: string;
  /** Bytes of UTF-8. */
  readonly bytes: number;
}

/** Bytes of a text that is generated. */
const BYTES = scaled(1.4e6, 0.4e6);

/** The `.md` files of the folder BENCH_DATA, English first; without it, generated texts. */
export function readTexts(): Text[] {
  const folder = process.env.BENCH_DATA;
  if (!folder) {
    return [textOf('english', generateEnglish(BYTES)), textOf('multilingual', generateMultilingual(BYTES))];
  }
  const files = readdirSync(folder).filter((file) => file.endsWith('.md'));
  if (files.length === 0) throw new Error(`BENCH_DATA: ${folder} has no .md files.`);
  files.sort((a, b) => Number(b.startsWith('en')) - Number(a.startsWith('en')) || a.localeCompare(b));
  return files.map((file) => textOf(basename(file, '.md'), readFileSync(join(folder, file), 'utf8')));
}

/** The text from which the benchmarks of the server, and those of fresh texts, are made. */
export function mainText(): Text {
  return readTexts()[0] as Text;
}

export function textOf(name: string, text: string): Text {
  return { name, text, bytes: Buffer.byteLength(text) };
}

/** The first `bytes` of a text, cut before a code point; a shorter text is repeated. */
export function headOf({ text }: Text, bytes: number): string {
  const head = Buffer.alloc(bytes, Buffer.from(text));
  // A decoder that waits for more leaves out a code point that is cut.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(head, { stream: true });
}

/**
 * A text of at least `bytes` that no cache holds as a whole: copies in which one word in sixty is altered and
 * digits are shifted.
 */
export function freshText({ text, bytes }: Text, atLeast: number): string {
  const random = createRandom(3);
  const copies = Math.ceil(atLeast / bytes);
  return Array.from({ length: copies }, (_, copy) =>
    text
      .replace(/\p{L}{3,}/gu, (word) => (random() < 1 / 60 ? altered(word, random()) : word))
      .replace(/[0-9]/g, (digit) => String((Number(digit) + copy) % 10)),
  ).join('\n');
}

/** A word with one letter inserted. */
function altered(word: string, chance: number): string {
  const at = Math.floor(chance * word.length);
  const letter = String.fromCharCode(0x61 + (Math.floor(chance * 997) % 26));
  return word.slice(0, at) + letter + word.slice(at);
}
