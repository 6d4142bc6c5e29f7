import {
  type Carried,
  type ChunkContext,
  type Chunker,
  type CutFinder,
  type DocumentInfo,
  type Factory,
  type Heading,
  type Kit,
  type MarkdownBlock,
  nextLine,
  type Span,
} from '../../../core/kit.ts';
import { isContainer, isRaw, lastBefore } from './blocks.ts';
import { describe, type Markdown } from './fields.ts';
import type manifest from './manifest.ts';
import type { MarkdownOptions } from './manifest.ts';
import { componentsOf, NO_COMPONENTS, withScripts } from './mdx.ts';
import { type NumberedBlocks, withNumberedHeadings } from './numbered.ts';
import { outlineOf } from './outline.ts';

/** Characters of a heading that its name is made from, and maximum length of the name: every chunk repeats it. */
const MOST_READ = 1000;
const LONGEST_NAME = 200;

/** The headings that make sections: those in lists and quotes do not. */
function headingsOf(text: string, { blocks, names }: NumberedBlocks): Heading[] {
  const headings: Heading[] = [];
  const isDefined = labelsIn(text, blocks);
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index] as MarkdownBlock;
    if (!makesSection(block)) continue;
    const next = blocks[index + 1];
    headings.push({
      // Blank lines at the beginning of the text are not part of the first block.
      start: index === 0 ? 0 : block.start,
      level: block.level,
      isLead: next !== undefined && makesSection(next) && next.level > block.level,
      name: () => nameOf(text, block, isDefined, names.get(block.start)),
    });
  }
  return headings;
}

function makesSection({ kind, depth }: MarkdownBlock): boolean {
  return kind === 'heading' && depth === 0;
}

/** The text of a heading, without its markers and without inline syntax. */
function nameOf(text: string, block: MarkdownBlock, isDefined: IsDefined, numbered?: string): string {
  const words = numbered ?? wordsOf(text, block);
  return plainWords(words, isDefined).slice(0, LONGEST_NAME).toWellFormed();
}

function wordsOf(text: string, { inner, end }: MarkdownBlock): string {
  const source = text.slice(inner, Math.min(end, inner + MOST_READ)).trimEnd();
  const isAtx = /^#{1,6}(?:[ \t]|$)/.test(source);
  return isAtx
    ? source.replace(/^#+[ \t]*/, '').replace(/(?:^|[ \t])#+$/, '')
    : source.replace(/[\r\n]+[^\r\n]*$/, '');
}

/** White space that is not a single space already. */
const SPACES = /\s{2,}|[^\S ]/g;
/** What inline syntax begins with. */
const MARKS = /[[*_~<\\`]/;
const CODE = /(?<!`)(`+)(?!`)([^`]+)\1(?!`)/g;

/** Whether a label is that of a link definition. */
type IsDefined = (label: string) => boolean;

function labelsIn(text: string, blocks: readonly MarkdownBlock[]): IsDefined {
  let labels: Set<string> | undefined;
  return (label) => {
    labels ??= new Set(
      blocks.flatMap((block) => (block.kind === 'definition' ? normalLabel(labelOf(text, block)) : [])),
    );
    return labels.has(normalLabel(label));
  };
}

function labelOf(text: string, { inner, end }: MarkdownBlock): string {
  return /^\[((?:[^\]\\]|\\.)*)\]/.exec(text.slice(inner, Math.min(end, inner + MOST_READ)))?.[1] ?? '';
}

function normalLabel(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase();
}

/**
 * Inline Markdown as plain text: links and images by their text, without emphasis or code markers and without tags.
 */
function plainWords(words: string, isDefined: IsDefined): string {
  if (!MARKS.test(words)) return words.replace(SPACES, ' ').trim();
  if (!words.includes('`')) return withoutMarks(words, isDefined).replace(SPACES, ' ').trim();
  let plain = '';
  let at = 0;
  for (const code of words.matchAll(CODE)) {
    plain += `${withoutMarks(words.slice(at, code.index), isDefined)}${code[2]}`;
    at = code.index + code[0].length;
  }
  return (plain + withoutMarks(words.slice(at), isDefined)).replace(SPACES, ' ').trim();
}

const LINK = /!?\[((?:[^[\]\\]|\\.)*)\]\((?:[^()]|\([^()]*\))*\)/g;
const REFERENCE = /(?<!\])!?\[((?:[^[\]\\]|\\.)*)\](?:\[([^[\]]*)\])?/g;
const NOTE = /\[\^[^[\]\s]+\]/g;
const TAG = /<!--[\s\S]*?-->|<\/?[a-z][^<>]*>/gi;
const EMPHASIS = /(?<!\\)(?:(?<=\S)(?:\*+|~~)|(?:\*+|~~)(?=\S)|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w))/g;
const ESCAPE = /\\([!-/:-@[-`{-~])/g;

function withoutMarks(words: string, isDefined: IsDefined): string {
  const linked = (all: string, named: string, label = '') =>
    isDefined(label === '' ? named : label) ? named : all;
  let plain = words.replace(TAG, '');
  if (plain.includes('[')) {
    plain = plain.replace(NOTE, '');
    // An image within a link is a link within a link.
    for (let depth = 0; depth < 2; depth++) plain = plain.replace(LINK, '$1').replace(REFERENCE, linked);
  }
  return plain.replace(EMPHASIS, '').replace(ESCAPE, '$1');
}

/** Divides stretches of Markdown without boundaries: a paragraph, a line of code, a table row. */
type DivideMarkdown = (start: number, end: number, size: number) => readonly Span[];

const SENTENCE_MARKS = ['.', '!', '?', ':'];
const BEHIND = [' ', '\n', '\r\n'];
/**
 * Ends of sentences, also at the end of a line, and hard line breaks. None begins with a space, of which a text has
 * many.
 */
const SENTENCES = [
  ...SENTENCE_MARKS.flatMap((mark) => BEHIND.map((space) => mark + space)),
  ...['\\\n', '\\\r\n', '<br>', '<br/>', '<br />', '\n\n', '\r\n\r\n'],
  ...['。', '！', '？', '｡', '।', '؟'],
];
const CLAUSES = [', ', '; ', '- ', '– ', '— ', '，', '、', '；', '：'];

/** Creates the finders once, for all texts. */
function createDivider(kit: Kit) {
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

const NO_NAMES: ReadonlyMap<number, string> = new Map();

const createMarkdownChunker: Factory<typeof manifest> = ({ kit }): Chunker<MarkdownOptions> => {
  const dividerOf = createDivider(kit);
  return {
    chunk(text, options, context) {
      const { chunk_size, split_level, oversize, carry, count_context, include_blocks } = options;
      const isMdx = options.mdx ?? isNamedMdx(context.document);
      const plain = kit.findMarkdownBlocks(text);
      const found = isMdx ? withScripts(text, plain) : plain;
      const numbered = options.numbered_headings
        ? withNumberedHeadings(text, found, kit)
        : { blocks: found, names: NO_NAMES };
      const { blocks } = numbered;
      const leaves = blocks.filter((block) => !isContainer(block));
      const markdown: Markdown = {
        text,
        blocks,
        leaves,
        paths: kit.headingPaths(headingsOf(text, numbered)),
      };
      const keepsWhole = oversize === 'keep';
      // Counted with its context, a chunk has room for at least half of the limit.
      const room = count_context ? chunk_size / 2 : chunk_size;
      const carriedAt = carriedIn(markdown, carry);
      const spans = context.packStructure(
        {
          outline: outlineOf(text, blocks, {
            keepsWhole,
            room,
            tokens: context.tokens,
            components: isMdx ? componentsOf(text, blocks) : NO_COMPONENTS,
          }),
          divide: dividerOf(leaves, keepsWhole, context),
          ...(carriedAt === undefined ? {} : { carriedAt }),
        },
        { ...options, always: split_level },
      );
      return describe(markdown, spans, include_blocks);
    },
  };
};

export default createMarkdownChunker;

function isNamedMdx({ filename, id, mediaType }: DocumentInfo): boolean {
  return mediaType === 'text/mdx' || /\.mdx$/i.test(filename ?? id ?? '');
}

type Carry = MarkdownOptions['carry'];

/** What a chunk that begins at an offset carries; undefined if no chunk carries anything. */
function carriedIn(markdown: Markdown, carry: Carry): ((start: number) => Carried | undefined) | undefined {
  if (carry.length === 0) return undefined;
  const { leaves, paths } = markdown;
  const openingOf = openings(markdown, carry);
  const hasPath = carry.includes('headings');
  return (start) => {
    const leaf = leaves[lastBefore(leaves, start)];
    const opening = leaf !== undefined && start < leaf.end ? openingOf(leaf) : undefined;
    const isOpening = opening !== undefined && start >= opening.end;
    if (!hasPath && !isOpening) return undefined;
    return {
      path: hasPath ? paths.above(start) : undefined,
      opening: isOpening ? opening.text : undefined,
    };
  };
}

/** The beginning of a table or fence, and where that ends. */
interface Opening {
  readonly end: number;
  readonly text: string;
}

/** Finds the openings of blocks, once each: a line may be as long as the text. */
function openings({ text }: Markdown, carry: Carry): (leaf: MarkdownBlock) => Opening | undefined {
  const found = new Map<MarkdownBlock, Opening>();
  return (leaf) => {
    const { kind, start, end, inner } = leaf;
    if (kind !== 'table' && kind !== 'fence') return undefined;
    if (!carry.includes(kind === 'table' ? 'header' : 'fence')) return undefined;
    const known = found.get(leaf);
    if (known !== undefined) return known;
    const behind = kind === 'table' ? inner : nextLine(text, start, end);
    const opening = { end: behind, text: text.slice(start, behind) };
    found.set(leaf, opening);
    return opening;
  };
}
