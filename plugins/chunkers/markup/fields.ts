import { type HeadingPaths, type Located, type Span, withFields } from '../../../core/kit.ts';
import type { Block, BlockKind } from './blocks.ts';

/** Gives each chunk the headings above it, and describes its content. @param spans in the order of the text */
export function describe(
  blocks: readonly Block[],
  paths: HeadingPaths,
  spans: readonly Span[],
  lists: boolean,
): Span[] {
  const described: Span[] = [];
  let first = 0;
  for (const span of spans) {
    while (first < blocks.length && (blocks[first] as Block).end <= span.start) first++;
    const within = blocksIn(blocks, first, span.end);
    const own = {
      heading_path: paths.within(span.start, span.end),
      kinds: kindsOf(within),
      language: languageOf(within),
    };
    const extra = span.extra === undefined ? own : { ...own, ...span.extra };
    described.push(withFields(span, extra, lists ? { blocks: located(within, span) } : undefined));
  }
  return described;
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
