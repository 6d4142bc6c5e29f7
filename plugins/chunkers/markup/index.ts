import type { Carried, Chunker, Factory } from '../../../core/kit.ts';
import { type Heading, type HeadingPaths, headingPaths } from '../../toolkit/heading-paths.ts';
import { type Block, Blocks, type Scan } from './blocks.ts';
import { createDivider, lastBefore } from './divide.ts';
import { describe } from './fields.ts';
import { Lines } from './lines.ts';
import type manifest from './manifest.ts';
import type { MarkupOptions } from './manifest.ts';
import { outlineOf } from './outline.ts';
import { syntaxOf } from './syntax.ts';
import { scannerOf } from './syntaxes/all.ts';

/** Characters of a title that its name is made from, and maximum length of the name: every chunk repeats it. */
const MAX_READ = 1000;
const MAX_NAME = 200;

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
      const scan = syntax === undefined ? scanProse(text) : scannerOf(syntax, name)(text);
      const { blocks } = scan;
      const paths = headingPaths(headingsOf(text, scan));
      const keepsWhole = options.oversize === 'keep';
      // Counted with its context, a chunk has room for at least half of the limit.
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

/** Paragraphs of a text in no known syntax. */
function scanProse(text: string): Scan {
  const lines = new Lines(text);
  const blocks = new Blocks();
  for (let line = lines.firstInked(0); line < lines.count; line = lines.firstInked(lines.firstBlank(line)))
    blocks.add('paragraph', lines.start(line));
  return { blocks: blocks.finish(text.length), plain: (title) => title };
}

/** The titles that make sections. */
function headingsOf(text: string, { blocks, plain }: Scan): Heading[] {
  const headings: Heading[] = [];
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index] as Block;
    if (block.level === 0) continue;
    let at = index + 1;
    while (blocks[at]?.kind === 'comment') at++;
    const next = blocks[at];
    headings.push({
      start: block.start,
      level: block.level,
      isLead: next !== undefined && next.level > block.level,
      name: () => nameOf(text, block, plain),
    });
  }
  return headings;
}

function nameOf(text: string, { title: [start, end] }: Block, plain: Scan['plain']): string {
  const words = plain(text.slice(start, Math.min(end, start + MAX_READ)).trim());
  return words.replace(/\s+/g, ' ').trim().slice(0, MAX_NAME).toWellFormed();
}

/** What a chunk that begins at an offset carries; undefined if no chunk carries anything. */
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

/** The lines that open a block in whose middle a chunk begins. */
function openingOf(text: string, { start, from }: Block, at: number): string | undefined {
  return from > start && at >= from ? text.slice(start, from).trimEnd() : undefined;
}
