import {
  type Carried,
  type ChunkContext,
  type Chunker,
  type CutFinder,
  countWhile,
  cutAtDelimiters,
  cutAtWhiteSpace,
  type Factory,
  isWhiteSpace,
  type Located,
  type Span,
  withFields,
} from '../../../core/kit.ts';
import { type Heading, type HeadingPaths, headingPaths } from '../../toolkit/heading-paths.ts';
import { type Block, type BlockKind, isAside, type Scan } from './blocks.ts';
import type manifest from './manifest.ts';
import type { MarkupOptions } from './manifest.ts';
import { outlineOf } from './outline.ts';
import { scannerOf, syntaxOf } from './syntax.ts';
import { scanParagraphs } from './syntaxes/by-lines.ts';

const createMarkupChunker: Factory<typeof manifest> = (): Chunker<MarkupOptions> => {
  const dividerOf = createDivider();
  return {
    chunk(text, options, context) {
      const { chunk_size, split_level, carry, count_context, include_blocks } = options;
      const { id, filename = id, mediaType = '' } = context.document;
      const name = options.filename ?? filename ?? '';
      const given = options.syntax === 'auto' ? undefined : options.syntax;
      const syntax = given ?? syntaxOf(text, name, mediaType);
      if (given === undefined) context.report('markup-syntax', syntax ?? 'none');
      const scan = syntax === undefined ? scanParagraphs(text, 'paragraph') : scannerOf(syntax, name)(text);
      const { blocks } = scan;
      const paths = headingPaths(headingsOf(text, scan));
      const keepsWhole = options.oversize === 'keep';
      // Carried context may take at most half of the limit.
      const room = count_context ? chunk_size / 2 : chunk_size;
      const carriedAt = carriedIn(text, blocks, paths, carry);
      const spans = context.packStructure(
        {
          outline: outlineOf(text, blocks, { keepsWhole, room, tokens: context.tokens }),
          divide: dividerOf(blocks, keepsWhole, context),
          ...(carriedAt === undefined ? {} : { carriedAt }),
        },
        { ...options, always: split_level },
      );
      return describe(text, blocks, paths, spans, include_blocks);
    },
  };
};

export default createMarkupChunker;

function headingsOf(text: string, { blocks, plain }: Scan): Heading[] {
  const headings: Heading[] = [];
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index] as Block;
    if (block.level === 0) continue;
    let below = index + 1;
    while (blocks[below]?.kind === 'comment') below++;
    const next = blocks[below];
    headings.push({
      start: block.start,
      level: block.level,
      isLead: next !== undefined && next.level > block.level,
      name: () => nameOf(text, block, plain),
    });
  }
  return headings;
}

const MAX_READ = 1000;
/** Maximum characters of a name, which every chunk of the section repeats. */
const MAX_NAME = 200;

function nameOf(text: string, { title: [start, end] }: Block, plain: Scan['plain']): string {
  const words = plain(text.slice(start, Math.min(end, start + MAX_READ)).trim());
  return words.replace(/\s+/g, ' ').trim().slice(0, MAX_NAME).toWellFormed();
}

/** Creates a function that returns the context of a chunk by the chunk's start; undefined if `carry` is empty. */
function carriedIn(
  text: string,
  blocks: readonly Block[],
  paths: HeadingPaths,
  carry: MarkupOptions['carry'],
): ((start: number) => Carried | undefined) | undefined {
  if (carry.length === 0) return undefined;
  const hasPath = carry.includes('headings');
  const hasFence = carry.includes('fence');
  return (start) => {
    const block = hasFence ? blocks[lastBefore(blocks, start)] : undefined;
    const opening = block === undefined || start >= block.end ? undefined : openingOf(text, block, start);
    if (!hasPath && opening === undefined) return undefined;
    return { path: hasPath ? paths.above(start) : undefined, opening };
  };
}

function openingOf(text: string, { start, from }: Block, offset: number): string | undefined {
  return from > start && offset >= from ? text.slice(start, from).trimEnd() : undefined;
}

function lastBefore(blocks: readonly Block[], offset: number): number {
  return countWhile(blocks, ({ start }) => start < offset) - 1;
}

const SENTENCES = [
  ...['.', '!', '?', ':'].flatMap((mark) => [' ', '\n', '\r\n'].map((space) => mark + space)),
  ...['\n\n', '\r\n\r\n', '\\\\\n', ' +\n'],
  ...['。', '！', '？', '｡', '।', '؟'],
];
const CLAUSES = [', ', '; ', '- ', '– ', '— ', '，', '、', '；', '：'];
const VERBATIM: ReadonlySet<BlockKind> = new Set(['code', 'comment', 'metadata']);

/** Divides stretches that contain no boundary, such as a paragraph with the headings before it. */
function createDivider() {
  const lines = cutAtDelimiters(['\r\n', '\n', '\r']);
  const table = [lines, cutAtDelimiters(['|', '&']), cutAtWhiteSpace];
  const verbatim = [lines, cutAtWhiteSpace];
  const prose = [cutAtDelimiters(SENTENCES), lines, cutAtDelimiters(CLAUSES), cutAtWhiteSpace];

  return (blocks: readonly Block[], keepsWhole: boolean, { divide }: ChunkContext) =>
    (start: number, end: number, size: number): readonly Span[] => {
      const last = lastBefore(blocks, end);
      const block = blocks[last];
      if (block === undefined) return divide({ start, end }, prose, { size });
      if (keepsWhole && block.hasLines) return [{ start, end }];
      const finders = block.kind === 'table' ? table : VERBATIM.has(block.kind) ? verbatim : prose;
      const isHeaded = start < block.start && isHeadedAt(blocks, last);
      const after = isHeaded ? finders.map((find) => withoutCutsUpTo(find, block.start)) : finders;
      return divide({ start, end }, after, { size, introductions: false });
    };
}

function isHeadedAt(blocks: readonly Block[], index: number): boolean {
  let above = index - 1;
  while (isAside(blocks[above])) above--;
  return blocks[above]?.kind === 'heading';
}

function withoutCutsUpTo(find: CutFinder, offset: number): CutFinder {
  return (text, start, end) => {
    const cuts = find(text, start, end);
    return start > offset ? cuts : cuts.filter((cut) => cut > offset);
  };
}

/** Gives each chunk its heading path and the kinds of its blocks. @param spans in text order */
function describe(
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
    let last = first;
    while (last < blocks.length && (blocks[last] as Block).start < span.end) last++;
    const within = blocks.slice(first, last);
    const start = Math.max((blocks[first] as Block).start, span.start);
    const fields = {
      heading_path: paths.within(start, span.end),
      kinds: [...new Set(within.map(({ kind }) => kind))],
      language: languageOf(within),
    };
    const extra = span.extra === undefined ? fields : { ...fields, ...span.extra };
    described.push(withFields(span, extra, lists ? { blocks: located(within, span) } : undefined));
  }
  return described;
}

/** Whether the block `next` begins in the chunk, after only white space. */
function isBlankUpTo(text: string, { start, end }: Span, next: Block | undefined): boolean {
  if (next === undefined || next.start >= end) return false;
  let at = start;
  while (at < next.start && isWhiteSpace(text.charCodeAt(at))) at++;
  return at === next.start;
}

/** The language that the code blocks name; undefined if they name several languages or none. */
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
