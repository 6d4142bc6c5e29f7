import type { Page } from '../../eval/structure/corpus.ts';
import { CUT, cutBy, readTruths } from '../../eval/structure/evaluate.ts';
import type { Piece } from '../../eval/structure/measure.ts';
import { countTokens, openSplitters, SIZE, type Splitter } from '../exactness/peers.ts';
import { printTable } from '../race/report.ts';

/** What ours and peers cut of the structure of pages. */
export async function printCuts(pages: readonly Page[]): Promise<void> {
  const truths = readTruths(pages);
  const fits = (text: string) => countTokens(text) <= SIZE;
  const rows: string[][] = [];
  const splitters = await openSplitters(pages.map(({ text }) => text));
  for (const splitter of splitters)
    rows.push([
      splitter.name,
      ...(await cutBy((text) => placesOf(splitter, text), truths, fits)).slice(0, -2),
    ]);
  printTable(
    `${pages.length} READMEs at ${SIZE} tokens; of fences and rows, those that fit`,
    CUT.slice(0, -2),
    rows,
  );
}

/** Where the letters of chunks are: some splitters do not say it, and trim or change spaces. What is not found has no place. */
async function placesOf({ split }: Splitter, text: string): Promise<Piece[]> {
  const offsets = Array.from({ length: text.length }, (_, at) => at).filter(
    (at) => !SPACE.test(text[at] ?? ' '),
  );
  const letters = lettersOf(text);
  const pieces: Piece[] = [];
  let from = 0;
  for (const piece of await split(text)) {
    const own = lettersOf(piece.text);
    const at = own === '' ? -1 : letters.indexOf(own, from);
    if (at < 0) continue;
    from = at + own.length;
    pieces.push({ start: offsets[at] as number, end: (offsets[from - 1] as number) + 1 });
  }
  return pieces;
}

const SPACE = /\s/u;
const lettersOf = (text: string): string => text.replace(/\s+/gu, '');
