import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import type { Peer } from '../race/peers.ts';

/** Splitters, by name; a library is loaded when its splitter is made. */
const SPLITTERS: Readonly<Record<string, () => Promise<Peer['split']>>> = {
  async 'langchain RecursiveCharacter'() {
    const { RecursiveCharacterTextSplitter } = await import('@langchain/textsplitters');
    const splitter = new RecursiveCharacterTextSplitter(SIZES);
    return (text) => splitter.splitText(text);
  },
  async 'langchain Markdown'() {
    const { MarkdownTextSplitter } = await import('@langchain/textsplitters');
    const splitter = new MarkdownTextSplitter(SIZES);
    return (text) => splitter.splitText(text);
  },
  async 'langchain for JavaScript'() {
    const { RecursiveCharacterTextSplitter } = await import('@langchain/textsplitters');
    const splitter = RecursiveCharacterTextSplitter.fromLanguage('js', SIZES);
    return (text) => splitter.splitText(text);
  },
  async 'chonkiejs Recursive'() {
    const { RecursiveChunker } = await import('@chonkiejs/core');
    const chunker = await RecursiveChunker.create({ chunkSize: SIZES.chunkSize });
    return async (text) => (await chunker.chunk(text)).map((chunk) => chunk.text);
  },
};
const SIZES = { chunkSize: 512, chunkOverlap: 0 };

/** Characters that are written at a time. */
const WRITE = 1 << 16;

/** Entry of a process: peer.ts <splitter> <file of JSON Lines>. Writes a line of JSON for each chunk. */
async function run([name = '', file = '']: string[]): Promise<void> {
  const split = await SPLITTERS[name]?.();
  if (split === undefined) throw new Error(`There is no splitter ${name}.`);
  let out = '';
  for await (const line of createInterface(createReadStream(file, 'utf8'))) {
    const { id, text } = JSON.parse(line) as { readonly id: string; readonly text: string };
    for (const chunk of await split(text)) out += `${JSON.stringify({ document_id: id, text: chunk })}\n`;
    if (out.length < WRITE) continue;
    process.stdout.write(out);
    out = '';
  }
  process.stdout.write(out);
}

await run(process.argv.slice(2));
