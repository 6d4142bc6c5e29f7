import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findMarkdownBlocks } from '../../../core/engine/markdown/find-blocks.ts';
import { printTable, printTitle } from '../../bench/race/report.ts';
import { countBlocks } from '../../core/engine/markdown/compare.ts';
import { type AnswerChunk, answerTo, composeQuietly } from '../../support/service.ts';
import { type Page, readPages } from './corpus.ts';
import { addCounts, type Counts, type Measured, newCounts, type Piece } from './measure.ts';
import { truthOf } from './truth.ts';

const SETTINGS = [
  { tokenizer: 'character', chunk_size: 512 },
  { tokenizer: 'cl100k_base', chunk_size: 256 },
];
const PEERS = join(import.meta.dirname, '../../bench/structure/peers.ts');
const INSTALLED = join(import.meta.dirname, '../../bench/node_modules');

/** A way to split a page. */
interface Splitter<Part = Piece> {
  readonly name: string;
  split(text: string): Promise<readonly Part[]>;
}

type Setting = (typeof SETTINGS)[number];

/** The part of the benchmark that is used; the types of its packages are not there without them. */
interface PeersModule {
  markdownPeers(tokenizer: string, size: number): Promise<readonly Splitter<string>[]>;
}

/** Prints how chunks of the READMEs in a folder keep to their structure, by another parser's blocks, beside peers. */
export async function evaluateStructure(folder: string): Promise<void> {
  const pages = readPages(folder);
  const bytes = pages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  printTitle(`Structure of ${pages.length} READMEs of 2 to 200 KB, ${(bytes / 1e6).toFixed(2)} MB`);
  printBlocks(pages);
  const { service, openers } = await composeQuietly();
  const read = pages.map(({ text }) => ({ text, truth: truthOf(text) }));
  for (const setting of SETTINGS) {
    const tokenizer = await openers.tokenizer(setting.tokenizer);
    const count = (text: string) => tokenizer.tokenize(text).count(0, text.length);
    const rows: string[][] = [];
    const ours = (name: string, options: object): Splitter => ({
      name: `${name} ${Object.values(options)}`.trim(),
      async split(text) {
        const request = { text, offset_unit: 'utf16', ...setting, ...options };
        return (await answerTo<AnswerChunk[]>(service, { run: 'chunk', name }, request)).map(toPiece);
      },
    });
    const own = [ours('markdown', {}), ours('recursive', {}), ours('recursive', { recipe: 'markdown' })];
    for (const splitter of [...own, ...(await peers(setting))]) {
      const counts = newCounts();
      for (const page of read) {
        const measured: Measured = { ...page, size: setting.chunk_size, count };
        addCounts(counts, await splitter.split(page.text), measured);
      }
      rows.push([splitter.name, ...Object.values(COLUMNS).map((shown) => shown(counts))]);
    }
    const title = `chunk_size ${setting.chunk_size}, ${setting.tokenizer}; of fences, rows and items, those that fit`;
    printTable(title, ['', ...Object.keys(COLUMNS)], rows);
  }
}

function toPiece({ text, start_index, end_index, ...fields }: AnswerChunk): Piece {
  const { heading_path } = fields as { readonly heading_path?: readonly string[] };
  return { text, start: start_index, end: end_index, heading_path };
}

async function peers({ tokenizer, chunk_size }: Setting): Promise<Splitter[]> {
  if (!existsSync(INSTALLED)) return [];
  const { markdownPeers } = (await import(PEERS)) as PeersModule;
  const found = await markdownPeers(tokenizer, chunk_size);
  return found.map(({ name, split }) => ({ name, split: async (text) => placed(text, await split(text)) }));
}

/** Finds where the chunks of a peer stand, which may have changed the white space around them. */
function placed(text: string, chunks: readonly string[]): Piece[] {
  let from = 0;
  return chunks.map((chunk) => {
    const ink = chunk.trim();
    const at = text.indexOf(ink, from);
    const start = at === -1 ? from : at;
    from = at === -1 ? from : at + ink.length;
    return { text: ink, start, end: start + ink.length };
  });
}

const share = (part: number, whole: number) => `${part} (${((100 * part) / Math.max(whole, 1)).toFixed(2)}%)`;

const COLUMNS: Readonly<Record<string, (counts: Counts) => string>> = {
  chunks: ({ chunks }) => String(chunks),
  'end with heading': ({ chunks, endWithHeading }) => share(endWithHeading, chunks),
  'heading alone': ({ chunks, headingAlone }) => share(headingAlone, chunks),
  'begin with fence end': ({ chunks, beginWithFenceEnd }) => share(beginWithFenceEnd, chunks),
  'fences cut': ({ fencesCut, fences }) => share(fencesCut, fences),
  'rows cut': ({ rowsCut, rows }) => share(rowsCut, rows),
  'items cut': ({ itemsCut, items }) => share(itemsCut, items),
  '< 20 chars': ({ tiny, chunks }) => share(tiny, chunks),
  'mean fill': ({ fill, chunks }) => (fill / chunks).toFixed(3),
  over: ({ over }) => String(over),
  'paths wrong': ({ paths, pathsWrong }) => (paths === 0 ? '-' : share(pathsWrong, paths)),
};

function printBlocks(pages: readonly Page[]): void {
  const all = pages.map(({ text }) => countBlocks(text, findMarkdownBlocks(text)));
  const sum = (name: 'blocks' | 'same' | 'begin') => all.reduce((total, one) => total + one[name], 0);
  const percent = (part: number) => `${((100 * part) / sum('blocks')).toFixed(3)}%`;
  console.log(
    `${sum('blocks')} blocks; as micromark: ${percent(sum('same'))}, by their beginnings ${percent(sum('begin'))}\n`,
  );
}
