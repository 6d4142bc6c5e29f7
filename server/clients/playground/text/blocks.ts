import { firstIndex } from './search.ts';

/** Approximate characters of a block: it ends with a line if possible. */
const USUAL_BLOCK_LENGTH = 1200;
const MAX_BLOCK_LENGTH = 3000;

/** Where the blocks of a text begin, plus its length: only visible blocks are in the page. */
export function blocksOf(text: string): number[] {
  const edges = [0];
  let start = 0;
  while (text.length - start > USUAL_BLOCK_LENGTH) {
    const end = endOfBlock(text, start);
    if (end >= text.length) break;
    edges.push(end);
    start = end;
  }
  if (text.length > 0) edges.push(text.length);
  return edges;
}

function endOfBlock(text: string, start: number): number {
  const line = text.indexOf('\n', start + USUAL_BLOCK_LENGTH);
  if (line !== -1 && line < start + MAX_BLOCK_LENGTH) return line + 1;
  const space = text.lastIndexOf(' ', start + MAX_BLOCK_LENGTH);
  const end = space > start + USUAL_BLOCK_LENGTH ? space + 1 : start + MAX_BLOCK_LENGTH;
  return splitsPair(text, end) ? end + 1 : end;
}

/** The block that contains an offset. @param edges from `blocksOf` */
export function blockAt(edges: readonly number[], offset: number): number {
  return Math.max(0, firstIndex(edges.length - 1, (block) => (edges[block] as number) > offset) - 1);
}

/** Whether an offset is within a surrogate pair, or between CR and LF. */
function splitsPair(text: string, offset: number): boolean {
  const [before, after] = [text.charCodeAt(offset - 1), text.charCodeAt(offset)];
  const isPair = before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
  return isPair || (before === 13 && after === 10);
}
