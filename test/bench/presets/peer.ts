import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import type * as Langchain from '@langchain/textsplitters';

const SIZES = { chunkSize: 512, chunkOverlap: 0 };

/** What a splitter knows of its chunks. */
type Split = (text: string) => Promise<readonly unknown[]>;

/** Splitters, by name; a library is loaded when its splitter is made. */
const SPLITTERS: Readonly<Record<string, () => Promise<Split>>> = {
  'langchain RecursiveCharacter': langchain((the) => new the.RecursiveCharacterTextSplitter(SIZES)),
  'langchain Markdown': langchain((the) => new the.MarkdownTextSplitter(SIZES)),
  'langchain for JavaScript': langchain((the) =>
    the.RecursiveCharacterTextSplitter.fromLanguage('js', SIZES),
  ),
  async 'chonkiejs Recursive'() {
    const { RecursiveChunker } = await import('@chonkiejs/core');
    const { chonkie } = await import('../race/peers.ts');
    return chonkie('', await RecursiveChunker.create({ chunkSize: SIZES.chunkSize })).split;
  },
};

function langchain(create: (the: typeof Langchain) => Langchain.TextSplitter): () => Promise<Split> {
  return async () => {
    const splitter = create(await import('@langchain/textsplitters'));
    return async (text) => (await splitter.splitText(text)).map((text) => ({ text }));
  };
}

/** Characters that are written at a time. */
const WRITE = 1 << 16;

/** Entry of a process: peer.ts <splitter> <file of JSON Lines>. Writes a line of JSON for each chunk. */
async function run([name = '', file = '']: string[]): Promise<void> {
  const split = await SPLITTERS[name]?.();
  if (split === undefined) throw new Error(`There is no splitter ${name}.`);
  let out = '';
  for await (const line of createInterface(createReadStream(file, 'utf8'))) {
    const { id, text } = JSON.parse(line) as { readonly id: string; readonly text: string };
    for (const chunk of await split(text))
      out += `${JSON.stringify({ document_id: id, ...(chunk as object) })}\n`;
    if (out.length < WRITE) continue;
    process.stdout.write(out);
    out = '';
  }
  process.stdout.write(out);
}

await run(process.argv.slice(2));
