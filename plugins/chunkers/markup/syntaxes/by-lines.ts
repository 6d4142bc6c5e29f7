import { type BlockKind, BlockScanner, Blocks, type Scan, withDenseLevels } from '../blocks.ts';
import { Lines } from '../lines.ts';

export interface LineTitle {
  readonly level: number;
  /** The text of the title; empty if the next line contains the text. */
  readonly words: string;
}

export interface RawBlock {
  readonly kind: BlockKind;
  readonly opening: RegExp;
  /** @param opened the match of `opening`; only its first group may be used */
  ends(content: string, opened: RegExpExecArray): boolean;
  /** Whether the line that ends the block already belongs to the next block. */
  readonly isOpen?: boolean;
}

export interface LineSyntax {
  title(content: string): LineTitle | undefined;
  readonly raw: readonly RawBlock[];
  /** Lines that belong to the next block. */
  readonly lead?: RegExp;
  /** Lines that begin a block, even without a blank line before them. */
  readonly kinds: readonly (readonly [BlockKind, RegExp])[];
  /** Whether indented lines are verbatim. */
  readonly hasLiterals?: boolean;
  plain(title: string): string;
}

export function scanLines(text: string, syntax: LineSyntax): Scan {
  const blocks = new Scanner(text, syntax).scan();
  return { blocks: withDenseLevels(blocks), plain: syntax.plain };
}

export function scanParagraphs(text: string, kind: 'paragraph' | 'code'): Scan {
  const lines = new Lines(text);
  const blocks = new Blocks();
  for (let line = lines.firstInked(0); line < lines.count; line = lines.firstInked(lines.firstBlank(line)))
    blocks.add(kind, lines.start(line), { hasLines: kind === 'code' });
  return { blocks: blocks.finish(text.length), plain: (title) => title };
}

/** Kinds of blocks in which every line has the kind's mark. */
const ONE_LINE: ReadonlySet<BlockKind> = new Set(['comment', 'metadata', 'table', 'break']);

/** Maximum failed searches for the end of a block. Each search reads the rest of the text. */
const MAX_UNCLOSED = 64;

class Scanner extends BlockScanner {
  readonly #syntax: LineSyntax;
  /** Indices and names of raw blocks without an end in the rest of the text. */
  readonly #unclosed = new Set<string>();

  constructor(text: string, syntax: LineSyntax) {
    super(text);
    this.#syntax = syntax;
  }

  protected override addBlock(line: number): number {
    const { lines } = this;
    const { lead } = this.#syntax;
    const content = lines.content(line);
    if (lead?.test(content) === true) {
      this.blocks.lead(lines.start(line));
      return line + 1;
    }
    return this.#title(line, content) ?? this.#raw(line, content) ?? this.#text(line, content);
  }

  #title(line: number, content: string): number | undefined {
    const { lines } = this;
    const title = this.#syntax.title(content);
    if (title === undefined) return undefined;
    const titled = title.words === '' ? line + 1 : line;
    if (lines.isBlank(titled)) return undefined;
    const ink = lines.inks[titled] as number;
    const words = title.words === '' ? lines.content(titled) : title.words;
    const start = Math.max(lines.text.indexOf(words, ink), ink);
    this.blocks.add('heading', lines.start(line), {
      level: title.level,
      title: [start, start + words.length],
    });
    return titled + 1;
  }

  #raw(line: number, content: string): number | undefined {
    for (const [index, block] of this.#syntax.raw.entries()) {
      const opened = block.opening.exec(content);
      if (opened === null || this.#unclosed.size >= MAX_UNCLOSED) continue;
      const key = `${index} ${opened[1] ?? ''}`;
      if (this.#unclosed.has(key)) continue;
      const end = this.#endOf(line, block, opened);
      if (end !== undefined) return end;
      this.#unclosed.add(key);
    }
    return undefined;
  }

  #endOf(line: number, block: RawBlock, opened: RegExpExecArray): number | undefined {
    const { lines } = this;
    const isWithin = block.ends(lines.content(line).slice(opened[0].length), opened);
    let end = isWithin ? line : line + 1;
    while (!isWithin && end < lines.count && !block.ends(lines.content(end), opened)) end++;
    const isOpen = block.isOpen === true;
    if (end >= lines.count && !isOpen) return undefined;
    this.blocks.add(block.kind, lines.start(line), {
      hasLines: true,
      from: lines.start(Math.min(line + 1, lines.count)),
      to: isOpen ? -1 : lines.start(end),
    });
    return isOpen ? Math.min(end, lines.count) : end + 1;
  }

  #text(line: number, content: string): number {
    const { lines } = this;
    const isLiteral = this.#syntax.hasLiterals === true && lines.isIndented(line);
    const kind = isLiteral ? 'code' : (this.#kindOf(content) ?? 'paragraph');
    const isNext = kind !== 'paragraph' && this.blocks.lastKind === kind;
    const hasLines = kind !== 'paragraph' && kind !== 'list';
    this.blocks.add(kind, lines.start(line), { depth: isNext ? 1 : 0, hasLines });
    let end = line + 1;
    while (end < lines.count && !lines.isBlank(end) && this.#goesOn(kind, lines.content(end))) end++;
    return end;
  }

  #goesOn(kind: BlockKind, content: string): boolean {
    const { title, lead, raw } = this.#syntax;
    if (title(content) !== undefined || lead?.test(content) === true) return false;
    if (raw.some(({ opening }) => opening.test(content))) return false;
    const next = this.#kindOf(content);
    if (ONE_LINE.has(kind)) return next === kind;
    return next === undefined || (next === kind && kind === 'quote');
  }

  #kindOf(content: string): BlockKind | undefined {
    return this.#syntax.kinds.find(([, pattern]) => pattern.test(content))?.[0];
  }
}
