import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startLoopback } from '../support/loopback.ts';
import { type Cleanup, temporaryFolder } from '../support/server.ts';
import { printedBy } from './printed.ts';

/** Programs that pages show, and what the pages say that they print. */

const ROOT = join(import.meta.dirname, '../..');

/** Pages with examples. */
export const PAGES = [
  'README.md plugins/AUTHORS.md plugins/CHECKING.md plugins/EXAMPLES.md plugins/EXAMPLES-FILES.md',
  'server/CLIENTS.md server/DOCUMENTS.md server/EVALUATION.md server/TOUR.md',
].flatMap((names) => names.split(' '));

/** Pages that processes/recipes.test.ts follows. */
export const RECIPES = readdirSync(join(ROOT, 'server/recipes')).map((name) => `server/recipes/${name}`);

/** The plugins of the commands and clients that are shown. */
export const SHOWN = [
  'chunker/auto',
  'chunker/code',
  'chunker/markdown',
  'chunker/recursive',
  'chunker/semantic',
  'chunker/sentence',
  'refinery/context',
  'refinery/embeddings',
  'refinery/overlap',
  'embedding/static',
  'tokenizer/huggingface',
  'tokenizer/tiktoken',
  'tokenizer/word',
] as const;

export const page = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** The code of a language in a page, block by block. */
export function blocksOf(text: string, language: string): string[] {
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map(([, block = '']) => block);
}

/** The first program of a page in a language, or the first that has a line. */
export function programOf(text: string, language: string, line = ''): string {
  const program = blocksOf(text, language).find((source) => source.includes(line));
  if (program === undefined) throw new Error(`no ${language} with ${line}`);
  return program;
}

/** The program of a page that stands before how it is run, such as `node client.mjs`. */
export function programBefore(text: string, run: string): string {
  return blocksOf(text.slice(0, text.indexOf(`$ ${run}\n`)), '(?:python|js)').at(-1) ?? '';
}

/** What a page says that a command prints. */
export function shownAfter(text: string, command: string): string {
  return text.slice(text.indexOf(`$ ${command}\n`) + command.length + 3).split('```')[0] as string;
}

/** Runs a program in JavaScript in this process, and gives what it prints. @param folder where it finds its packages */
export async function runHere(t: Cleanup, source: string, folder?: string): Promise<string> {
  const own = folder ?? (await temporaryFolder(t));
  const file = join(own, `program-${++count}.mjs`);
  await writeFile(file, source);
  return (await printedBy(() => import(pathToFileURL(file).href))).stdout;
}

let count = 0;

/** The address of a server that ends connections in the middle of its answers. */
export function startCutting(t: Cleanup): Promise<string> {
  return startLoopback(t, (_request, response) => {
    response.writeHead(200).write('{"index":0,"id":"a","chunks":[]}\n', () => response.destroy());
  });
}

/** The rows of the table of files in server/CORPORA.md that name endings: who reads these, and how `auto` cuts them. */
export function fileRows() {
  const [, table = ''] = /^\| Ending .*\n.*\n((?:\| `.*\n)+)/m.exec(page('server/CORPORA.md')) ?? [];
  return table
    .trimEnd()
    .split('\n')
    .map((row) => {
      const [, endings = '', readBy = '', chunker = ''] = row.split('|');
      return {
        endings: Array.from(endings.matchAll(/`(\.[^`]+)`/g), ([, ending = '']) => ending),
        readers: Array.from(readBy.matchAll(/\[(\w+)\]\(/g), ([, name = '']) => name),
        chunker: chunker.trim().replaceAll('`', ''),
      };
    });
}
