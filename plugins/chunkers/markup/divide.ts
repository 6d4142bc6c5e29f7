import {
  type ChunkContext,
  type CutFinder,
  countWhile,
  cutAtDelimiters,
  cutAtWhiteSpace,
  type Span,
} from '../../../core/kit.ts';
import { type Block, type BlockKind, isAside } from './blocks.ts';

/** Divides stretches without boundaries: a paragraph, a line of code, with the headings before it. */
export type DivideMarkup = (start: number, end: number, size: number) => readonly Span[];

const SENTENCE_MARKS = ['.', '!', '?', ':'];
const BEHIND = [' ', '\n', '\r\n'];
const SENTENCES = [
  ...SENTENCE_MARKS.flatMap((mark) => BEHIND.map((space) => mark + space)),
  ...['\n\n', '\r\n\r\n', '\\\\\n', ' +\n'],
  ...['。', '！', '？', '｡', '।', '؟'],
];
const CLAUSES = [', ', '; ', '- ', '– ', '— ', '，', '、', '；', '：'];
const VERBATIM: ReadonlySet<BlockKind> = new Set(['code', 'comment', 'metadata']);

/** Creates the finders once, for all texts. */
export function createDivider() {
  const lines = cutAtDelimiters(['\r\n', '\n', '\r']);
  const cells = cutAtDelimiters(['|', '&']);
  const words = cutAtWhiteSpace;
  const prose = [cutAtDelimiters(SENTENCES), lines, cutAtDelimiters(CLAUSES), words];

  function findersOf(block: Block): readonly CutFinder[] {
    if (block.kind === 'table') return [lines, cells, words];
    return VERBATIM.has(block.kind) ? [lines, words] : prose;
  }

  return (blocks: readonly Block[], keepsWhole: boolean, { divide }: ChunkContext): DivideMarkup =>
    (start, end, size) => {
      const last = lastBefore(blocks, end);
      const block = blocks[last];
      if (block === undefined) return divide({ start, end }, prose, { size });
      if (keepsWhole && block.hasLines) return [{ start, end }];
      const finders = findersOf(block);
      const isHeaded = start < block.start && isHeadedAt(blocks, last);
      const after = isHeaded ? finders.map((find) => withoutCutsUpTo(find, block.start)) : finders;
      return divide({ start, end }, after, { size, introductions: false });
    };
}

/** Whether a block follows a heading, perhaps with comments and attributes between them. */
function isHeadedAt(blocks: readonly Block[], index: number): boolean {
  let above = index - 1;
  while (isAside(blocks[above])) above--;
  return blocks[above]?.kind === 'heading';
}

/** Cuts after an offset only: the text before it stays with what follows. */
function withoutCutsUpTo(find: CutFinder, offset: number): CutFinder {
  return (text, start, end) => {
    const cuts = find(text, start, end);
    return start > offset ? cuts : cuts.filter((cut) => cut > offset);
  };
}

/** The index of the last block that begins before an offset; -1 if there is none. */
export function lastBefore(blocks: readonly Block[], offset: number): number {
  return countWhile(blocks, ({ start }) => start < offset) - 1;
}
