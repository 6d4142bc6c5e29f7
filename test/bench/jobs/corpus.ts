import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { headOf, mainText } from '../data/texts.ts';

const DOCUMENT = 4300;

/** Writes documents of some 4 KB as JSON Lines, each different. @returns bytes of the file */
export async function writeDocuments(file: string, bytes: number): Promise<number> {
  const text = headOf(mainText(), 1_000_000);
  const out = createWriteStream(file);
  let written = 0;
  for (let index = 0; written < bytes; index++) {
    const from = (index * 7919) % (text.length - DOCUMENT);
    const line = Buffer.from(
      `${JSON.stringify({ id: `d${index}`, text: text.slice(from, from + DOCUMENT) })}\n`,
    );
    written += line.length;
    if (!out.write(line)) await new Promise<void>((done) => out.once('drain', done));
  }
  out.end();
  await finished(out);
  return written;
}
