import type { MarkdownBlock } from '../../../core/engine/markdown/block.ts';
import { countWhile } from '../../../core/engine/search.ts';

/** Whether a block holds others. */
export function isContainer({ kind }: MarkdownBlock): boolean {
  return kind === 'list' || kind === 'item' || kind === 'quote' || kind === 'footnote';
}

/** Whether the lines of a block are taken as they are. */
export function isRaw({ kind }: MarkdownBlock): boolean {
  return kind === 'fence' || kind === 'indented' || kind === 'html' || kind === 'front_matter';
}

/** The index of the last block that begins in front of an offset; -1 if there is none. */
export function lastBefore(blocks: readonly MarkdownBlock[], offset: number): number {
  return countWhile(blocks, ({ start }) => start < offset) - 1;
}

/** The language that a fence names: the first word behind its marks. */
export function languageOf(text: string, { kind, inner, end }: MarkdownBlock): string | undefined {
  if (kind !== 'fence') return undefined;
  return /^[`~]+[ \t]*([^\s`{,]{1,40})/.exec(text.slice(inner, Math.min(end, inner + 200)))?.[1];
}

/** Where the line after the one at an offset begins, at most at `end`. */
export function nextLine(text: string, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === LINE_FEED) return at + 1;
    if (unit === CARRIAGE_RETURN) return text.charCodeAt(at + 1) === LINE_FEED ? at + 2 : at + 1;
  }
  return end;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
