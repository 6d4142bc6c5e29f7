import { findMarkdownBlocks } from '../../../plugins/toolkit/markdown/find-blocks.ts';
import { printTable, printTitle } from '../../bench/race/report.ts';
import { countBlocks } from '../../plugins/toolkit/markdown/compare.ts';
import { type AnswerChunk, answerTo, composeQuietly } from '../../support/service.ts';
import { type Page, readPages } from './corpus.ts';
import { type Counts, type Measured, measure, type Piece } from './measure.ts';
import { truthOf } from './truth.ts';

const SETTINGS = [
  { tokenizer: 'character', chunk_size: 256 },
  { tokenizer: 'character', chunk_size: 512 },
  { tokenizer: 'character', chunk_size: 1000 },
  { tokenizer: 'cl100k_base', chunk_size: 128 },
  { tokenizer: 'cl100k_base', chunk_size: 256 },
];
/** What is counted of a splitter's chunks, after its name. */
export const CUT = [
  '',
  'chunks',
  'headings stranded',
  'fences cut',
  'rows cut',
  'headings only',
  'paths wrong',
];

/** Prints how chunks of the READMEs in a folder keep to their structure, by another parser's blocks. */
export async function evaluateStructure(folder: string): Promise<void> {
  const pages = readPages(folder);
  const bytes = pages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  printTitle(`Structure of ${pages.length} READMEs of 2 to 200 KB, ${(bytes / 1e6).toFixed(2)} MB`);
  printBlocks(pages);
  const { service, openers } = await composeQuietly();
  const read = readTruths(pages);
  const rows: string[][] = [];
  for (const setting of SETTINGS) {
    const { tokenizer, chunk_size } = setting;
    const { tokenize } = await openers.tokenizer(tokenizer);
    const fits: Measured['fits'] = (text) => tokenize(text).count(0, text.length) <= chunk_size;
    const split = async (text: string) => {
      const request = { text, offset_unit: 'utf16', ...setting };
      const task = { run: 'chunk', name: 'markdown' } as const;
      const chunks = await answerTo<(AnswerChunk & Pick<Piece, 'heading_path'>)[]>(service, task, request);
      return chunks.map((chunk) => ({ ...chunk, start: chunk.start_index, end: chunk.end_index }));
    };
    rows.push([`${chunk_size}, ${tokenizer}`, ...(await cutBy(split, read, fits))]);
  }
  printTable('Of fences and rows, those that fit without the headings above them', CUT, rows);
}

/** Pages with what another parser knows of them. */
export function readTruths(pages: readonly Page[]) {
  return pages.map(({ text }) => ({ text, truth: truthOf(text) }));
}

/** What a splitter's chunks cut, as cells. */
export async function cutBy(
  split: (text: string) => Promise<readonly Piece[]>,
  pages: readonly Omit<Measured, 'fits'>[],
  fits: Measured['fits'],
): Promise<string[]> {
  const counts: Counts[] = [];
  for (const page of pages) counts.push(measure(await split(page.text), { ...page, fits }));
  const sum = (name: keyof Counts) => counts.reduce((total, one) => total + one[name], 0);
  return [
    String(sum('chunks')),
    share(sum('headingsStranded'), sum('headings')),
    share(sum('fencesCut'), sum('fences')),
    share(sum('rowsCut'), sum('rows')),
    String(sum('headingsOnly')),
    sum('paths') === 0 ? 'not given' : share(sum('pathsWrong'), sum('paths')),
  ];
}

const share = (part: number, whole: number) => `${part} (${((100 * part) / Math.max(whole, 1)).toFixed(2)}%)`;

function printBlocks(pages: readonly Page[]): void {
  const all = pages.map(({ text }) => countBlocks(text, findMarkdownBlocks(text)));
  const sum = (name: 'blocks' | 'same' | 'begin') => all.reduce((total, one) => total + one[name], 0);
  const percent = (part: number) => `${((100 * part) / sum('blocks')).toFixed(3)}%`;
  console.log(
    `${sum('blocks')} blocks; as micromark: ${percent(sum('same'))}, by their beginnings ${percent(sum('begin'))}\n`,
  );
}
