import {
  type Carried,
  type ChunkContext,
  type Chunker,
  type CutFinder,
  type DocumentInfo,
  type Factory,
  type Heading,
  isLineBreak,
  type Kit,
  type MarkdownBlock,
  nextLine,
  type Span,
} from '../../../core/kit.ts';
import { isContainer, isRaw, lastBefore } from './blocks.ts';
import { describe, type Markdown } from './fields.ts';
import type manifest from './manifest.ts';
import type { MarkdownOptions } from './manifest.ts';
import { componentsOf, withScripts } from './mdx.ts';
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
      isLead: next !== undefined && makesSection(next),
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
  const plain = numbered === undefined ? plainName(text, block) : undefined;
  if (plain !== undefined) return plain;
  const words = numbered ?? wordsOf(text, block);
  return plainWords(words, isDefined).slice(0, LONGEST_NAME).toWellFormed();
}

const HASH = 35;
const SPACE = 32;
/** Whether an ASCII unit other than a space may be in a name that is taken as it is. */
const PLAIN = Uint8Array.from({ length: 128 }, (_, unit) =>
  /[!-~]/.test(String.fromCharCode(unit)) ? 1 : 0,
);
for (const mark of '#[*_~<\\`') PLAIN[mark.charCodeAt(0)] = 0;

/** The text of most headings: after `#`, short, of plain words with single spaces. Undefined for all others. */
function plainName(text: string, { inner, end }: MarkdownBlock): string | undefined {
  let start = inner;
  while (text.charCodeAt(start) === HASH) start++;
  if (start === inner || start > inner + 6 || text.charCodeAt(start) !== SPACE) return undefined;
  start++;
  const last = Math.min(end, start + LONGEST_NAME);
  let at = start;
  for (; at < last; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 128 ? PLAIN[unit] === 1 : isLetterBeyondAscii(unit)) continue;
    if (unit !== SPACE || text.charCodeAt(at - 1) === SPACE) break;
  }
  const isWhole = at > start && (at === end || isLineBreak(text.charCodeAt(at)));
  if (!isWhole) return undefined;
  return text.slice(start, text.charCodeAt(at - 1) === SPACE ? at - 1 : at);
}

/** Whether a unit is in a range without white space and without surrogates: letters, dashes and quotes. */
function isLetterBeyondAscii(unit: number): boolean {
  return (
    (unit > 0xa0 && unit < 0x1680) || (unit > 0x200f && unit < 0x2028) || (unit > 0x3000 && unit < 0xd800)
  );
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
    if (labels === undefined) {
      labels = new Set();
      for (const block of blocks)
        if (block.kind === 'definition') labels.add(normalLabel(labelOf(text, block)));
    }
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
  CODE.lastIndex = 0;
  for (let code = CODE.exec(words); code !== null; code = CODE.exec(words)) {
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
  // Looking for the marks of an expression first is several times as fast as the expression.
  let plain = words.includes('<') ? words.replace(TAG, '') : words;
  if (plain.includes('[^')) plain = plain.replace(NOTE, '');
  // An image within a link is a link within a link.
  for (let depth = 0; depth < 2 && plain.includes('['); depth++) {
    if (plain.includes('](')) plain = plain.replace(LINK, '$1');
    if (plain.includes('[')) plain = plain.replace(REFERENCE, linked);
  }
  if (/[*_~]/.test(plain)) plain = plain.replace(EMPHASIS, '');
  return plain.includes('\\') ? plain.replace(ESCAPE, '$1') : plain;
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

const createMarkdownChunker: Factory<typeof manifest> = ({ kit }): Chunker<MarkdownOptions> => {
  const dividerOf = createDivider(kit);
  return {
    chunk(text, options, context) {
      const { chunk_size, split_level, carry, count_context, include_blocks } = options;
      const isMdx = options.mdx ?? isNamedMdx(context.document);
      const plain = kit.findMarkdownBlocks(text);
      const found = isMdx ? withScripts(text, plain) : plain;
      const numbered = options.numbered_headings
        ? withNumberedHeadings(text, found, kit)
        : { blocks: found, names: NO_NAMES };
      const { blocks } = numbered;
      const markdown = describable(text, numbered, kit);
      const keepsWhole = options.oversize === 'keep';
      // Counted with its context, a chunk has room for at least half of the limit.
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

function describable(text: string, numbered: NumberedBlocks, kit: Kit): Markdown {
  const [outer, opened]: [MarkdownBlock[], MarkdownBlock[]] = [[], []];
  // A loop and not callbacks, whose optimised code V8 discards with their last closures.
  for (const block of numbered.blocks) {
    if (block.depth === 0) outer.push(block);
    if (block.kind === 'fence' || block.kind === 'table') opened.push(block);
  }
  return { text, outer, opened, paths: kit.headingPaths(headingsOf(text, numbered)) };
}

function isNamedMdx({ filename, id, mediaType }: DocumentInfo): boolean {
  return mediaType === 'text/mdx' || /\.mdx$/i.test(filename ?? id ?? '');
}

type Carry = MarkdownOptions['carry'];

/** What a chunk that begins at an offset carries; undefined if no chunk carries anything. */
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

/** The beginning of a table or fence, and where that ends. */
interface Opening {
  readonly end: number;
  readonly text: string;
}

/** Finds the openings of blocks, once each: a line may be as long as the text. */
function openings({ text }: Markdown, carry: Carry): (block: MarkdownBlock) => Opening | undefined {
  const found = new Map<MarkdownBlock, Opening>();
  return (block) => {
    const { kind, start, end, inner } = block;
    if (!carry.includes(kind === 'table' ? 'header' : 'fence')) return undefined;
    const known = found.get(block);
    if (known !== undefined) return known;
    const behind = kind === 'table' ? inner : nextLine(text, start, end);
    const opening = { end: behind, text: text.slice(start, behind) };
    found.set(block, opening);
    return opening;
  };
}
