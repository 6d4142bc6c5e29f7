import type { Span } from '../../../core/contracts/chunk.ts';
import type { ChunkContext, CutFinder } from '../../../core/contracts/chunker.ts';
import type { MarkdownBlock } from '../../../core/engine/markdown/block.ts';
import type { Kit } from '../../../core/kit.ts';
import { isRaw, lastBefore } from './blocks.ts';

/** Divides stretches of Markdown that have no place to cut: a paragraph, a line of code, a row of a table. */
export type DivideMarkdown = (start: number, end: number, size: number) => readonly Span[];

const SENTENCE_MARKS = ['.', '!', '?', ':'];
const BEHIND = [' ', '\n', '\r\n'];
/**
 * Ends of sentences, also at the end of a line, and line breaks that are meant. None begins with a space, of which a text
 * has so many.
 */
const SENTENCES = [
  ...SENTENCE_MARKS.flatMap((mark) => BEHIND.map((space) => mark + space)),
  ...['\\\n', '\\\r\n', '<br>', '<br/>', '<br />', '\n\n', '\r\n\r\n'],
  ...['。', '！', '？', '｡', '।', '؟'],
];
const CLAUSES = [', ', '; ', '- ', '– ', '— ', '，', '、', '；', '：'];

/** Makes the finders once, for all texts. */
export function createDivider(kit: Kit) {
  const lines = kit.cutAtDelimiters(['\r\n', '\n', '\r']);
  const cells = kit.cutAtDelimiters(['|']);
  const words = kit.cutAtWhiteSpace;
  const prose = [kit.cutAtDelimiters(SENTENCES), lines, kit.cutAtDelimiters(CLAUSES), words];

  function findersOf(block: MarkdownBlock | undefined): readonly CutFinder[] {
    if (block?.kind === 'table') return [lines, cells, words];
    return block !== undefined && isRaw(block) ? [lines, words] : prose;
  }

  return (leaves: readonly MarkdownBlock[], keepsWhole: boolean, { divide }: ChunkContext): DivideMarkdown =>
    (start, end, size) => {
      const last = leaves[lastBefore(leaves, end)];
      const isWhole = keepsWhole && last !== undefined && (isRaw(last) || last.kind === 'table');
      return isWhole ? [{ start, end }] : divide({ start, end }, findersOf(last), { size });
    };
}
