import { isWhiteSpace, type Located, type Span, withFields } from '../../../core/kit.ts';
import type { HeadingPaths } from '../../toolkit/heading-paths.ts';
import type { Block, BlockKind } from './blocks.ts';

/** Gives each chunk the headings above it, and describes its content. @param spans in the order of the text */
export function describe(
  text: string,
  blocks: readonly Block[],
  paths: HeadingPaths,
  spans: readonly Span[],
  lists: boolean,
): Span[] {
  const described: Span[] = [];
  let first = 0;
  for (const span of spans) {
    while (first < blocks.length && (blocks[first] as Block).end <= span.start) first++;
    if (isBlankUpTo(text, span, blocks[first + 1])) first++;
    const within = blocksIn(blocks, first, span.end);
    const start = Math.max((blocks[first] as Block).start, span.start);
    const own = {
      heading_path: paths.within(start, span.end),
      kinds: kindsOf(within),
      language: languageOf(within),
    };
    const extra = span.extra === undefined ? own : { ...own, ...span.extra };
    described.push(withFields(span, extra, lists ? { blocks: located(within, span) } : undefined));
  }
  return described;
}

/** Whether a chunk has only white space, the end of a block, before the next one. */
function isBlankUpTo(text: string, { start, end }: Span, next: Block | undefined): boolean {
  if (next === undefined || next.start >= end) return false;
  let at = start;
  while (at < next.start && isWhiteSpace(text.charCodeAt(at))) at++;
  return at === next.start;
}

/** The blocks from one on that begin before an offset. */
function blocksIn(blocks: readonly Block[], first: number, end: number): readonly Block[] {
  let last = first;
  while (last < blocks.length && (blocks[last] as Block).start < end) last++;
  return blocks.slice(first, last);
}

function kindsOf(blocks: readonly Block[]): readonly BlockKind[] {
  return [...new Set(blocks.map(({ kind }) => kind))];
}

/** The language of the code, if all names the same one. */
function languageOf(blocks: readonly Block[]): string | undefined {
  const languages = new Set(blocks.flatMap(({ language }) => language ?? []));
  return languages.size === 1 ? [...languages][0] : undefined;
}

function located(blocks: readonly Block[], span: Span): Located[] {
  return blocks.map(({ kind, level, language, start, end }) => ({
    start: Math.max(start, span.start),
    end: Math.min(end, span.end),
    fields: { kind, ...(level > 0 ? { level } : {}), ...(language === undefined ? {} : { language }) },
  }));
}
