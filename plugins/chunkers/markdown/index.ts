import {
  type Carried,
  type ChunkContext,
  type Chunker,
  type CutFinder,
  cutAtDelimiters,
  cutAtWhiteSpace,
  type DocumentInfo,
  type Factory,
  type Span,
} from '../../../core/kit.ts';
import { type Heading, headingPaths } from '../../toolkit/heading-paths.ts';
import { nextLine } from '../../toolkit/lines.ts';
import { findMarkdownBlocks, type MarkdownBlock } from '../../toolkit/markdown/index.ts';
import { cutAtClauseEnds, cutAtSentenceEnds } from '../../toolkit/prose/index.ts';
import { describe, type Markdown } from './fields.ts';
import type { Decode } from './headings/inline.ts';
import { Definitions } from './headings/links.ts';
import { headingName } from './headings/name.ts';
import type manifest from './manifest.ts';
import type { MarkdownOptions } from './manifest.ts';
import { componentsOf, withScripts } from './mdx.ts';
import { type NumberedBlocks, withNumberedHeadings } from './numbered.ts';
import { isContainer, isRaw, lastBefore, outlineOf } from './outline.ts';

function headingsOf(text: string, { blocks, names }: NumberedBlocks, decode: Decode): Heading[] {
  const headings: Heading[] = [];
  const definitions = new Definitions(text, blocks);
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index] as MarkdownBlock;
    if (!makesSection(block)) continue;
    const next = blocks[index + 1];
    headings.push({
      // A heading at the start of the text includes the blank lines before the heading.
      start: index === 0 ? 0 : block.start,
      level: block.level,
      isLead: next !== undefined && makesSection(next),
      name: () => headingName(text, block, definitions, decode, names.get(block.start)),
    });
  }
  return headings;
}

function makesSection({ kind, depth }: MarkdownBlock): boolean {
  return kind === 'heading' && depth === 0;
}

type DivideMarkdown = (start: number, end: number, size: number) => readonly Span[];

const SENTENCE_MARKS = ['.', '!', '?', ':'];
const BEHIND = [' ', '\n', '\r\n'];
/** Ends of sentences, and hard line breaks except two spaces: delimiters that begin with a space would be slow. */
const SENTENCES = [
  ...SENTENCE_MARKS.flatMap((mark) => BEHIND.map((space) => mark + space)),
  ...['\\\n', '\\\r\n', '<br>', '<br/>', '<br />', '\n\n', '\r\n\r\n'],
];
const CLAUSES = [', ', '; ', '- ', '– ', '— '];

function createDivider() {
  const lines = cutAtDelimiters(['\r\n', '\n', '\r']);
  const cells = cutAtDelimiters(['|']);
  const prose = [cutAtSentenceEnds(SENTENCES), lines, cutAtClauseEnds(CLAUSES), cutAtWhiteSpace];

  function findersOf(block: MarkdownBlock | undefined): readonly CutFinder[] {
    if (block?.kind === 'table') return [lines, cells, cutAtWhiteSpace];
    return block !== undefined && isRaw(block) ? [lines, cutAtWhiteSpace] : prose;
  }

  return (
    blocks: readonly MarkdownBlock[],
    keepsWhole: boolean,
    { divide }: ChunkContext,
  ): DivideMarkdown => {
    let leaves: readonly MarkdownBlock[] | undefined;
    return (start, end, size) => {
      leaves ??= leavesOf(blocks);
      const last = leaves[lastBefore(leaves, end)];
      const isWhole = keepsWhole && last !== undefined && (isRaw(last) || last.kind === 'table');
      return isWhole ? [{ start, end }] : divide({ start, end }, findersOf(last), { size, titles: true });
    };
  };
}

function leavesOf(blocks: readonly MarkdownBlock[]): MarkdownBlock[] {
  const leaves: MarkdownBlock[] = [];
  for (const block of blocks) if (!isContainer(block)) leaves.push(block);
  return leaves;
}

const NO_NAMES: ReadonlyMap<number, string> = new Map();

const createMarkdownChunker: Factory<typeof manifest> = async (): Promise<Chunker<MarkdownOptions>> => {
  const { decodeHTMLStrict: decode } = await import('entities/decode');
  const dividerOf = createDivider();
  return {
    chunk(text, options, context) {
      const { chunk_size, split_level, carry, count_context, include_blocks } = options;
      const isMdx = options.mdx ?? isNamedMdx(context.document);
      const plain = findMarkdownBlocks(text);
      const unnumbered = isMdx ? withScripts(text, plain) : plain;
      const numbered = options.numbered_headings
        ? withNumberedHeadings(text, unnumbered)
        : { blocks: unnumbered, names: NO_NAMES };
      const { blocks } = numbered;
      const markdown = describable(text, numbered, decode);
      const keepsWhole = options.oversize === 'keep';
      // If carried context counts, it may take at most half of the limit.
      const room = count_context ? chunk_size / 2 : chunk_size;
      const carriedAt = carriedIn(markdown, carry);
      const spans = context.packStructure(
        {
          outline: outlineOf(text, blocks, {
            keepsWhole,
            room,
            tokens: context.tokens,
            components: isMdx ? componentsOf(text, blocks) : undefined,
          }),
          divide: dividerOf(blocks, keepsWhole, context),
          ...(carriedAt === undefined ? {} : { carriedAt }),
        },
        { ...options, always: split_level },
      );
      return describe(markdown, spans, include_blocks);
    },
  };
};

export default createMarkdownChunker;

function describable(text: string, numbered: NumberedBlocks, decode: Decode): Markdown {
  const outer: MarkdownBlock[] = [];
  const opened: MarkdownBlock[] = [];
  for (const block of numbered.blocks) {
    if (block.depth === 0) outer.push(block);
    if (block.kind === 'fence' || block.kind === 'table') opened.push(block);
  }
  return { text, outer, opened, paths: headingPaths(headingsOf(text, numbered, decode)) };
}

function isNamedMdx({ filename, id, mediaType }: DocumentInfo): boolean {
  return mediaType === 'text/mdx' || /\.mdx$/i.test(filename ?? id ?? '');
}

type Carry = MarkdownOptions['carry'];

/** Returns the context of a chunk by its start; undefined if no chunk carries context. */
function carriedIn(markdown: Markdown, carry: Carry): ((start: number) => Carried | undefined) | undefined {
  const { opened, paths } = markdown;
  const hasPath = carry.includes('headings');
  if (!hasPath && (carry.length === 0 || opened.length === 0)) return undefined;
  const openingOf = openings(markdown, carry);
  return (start) => {
    const block = opened[lastBefore(opened, start)];
    const opening = block !== undefined && start < block.end ? openingOf(block) : undefined;
    const isOpening = opening !== undefined && start >= opening.end;
    if (!hasPath && !isOpening) return undefined;
    return {
      path: hasPath ? paths.above(start) : undefined,
      opening: isOpening ? opening.text : undefined,
    };
  };
}

interface Opening {
  readonly end: number;
  readonly text: string;
}

/** Reads the opening of each block only once, because a line may be as long as the text. */
function openings({ text }: Markdown, carry: Carry): (block: MarkdownBlock) => Opening | undefined {
  const known = new Map<MarkdownBlock, Opening>();
  return (block) => {
    const { kind, start, end, inner } = block;
    if (!carry.includes(kind === 'table' ? 'header' : 'fence')) return undefined;
    const behind = kind === 'table' ? inner : nextLine(text, start, end);
    const opening = known.get(block) ?? { end: behind, text: text.slice(start, behind) };
    known.set(block, opening);
    return opening;
  };
}
