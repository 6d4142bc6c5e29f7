import { Lines } from './lines.ts';

/** Chunks list these names as `kinds`. */
export type BlockKind =
  | 'heading'
  | 'paragraph'
  | 'list'
  | 'quote'
  | 'code'
  | 'table'
  | 'block'
  | 'comment'
  | 'metadata'
  | 'break';

/** A block extends to the start of the next block. */
export interface Block {
  readonly kind: BlockKind;
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  /** Level of a section's heading, 1 being the highest; 0 for other blocks. */
  readonly level: number;
  readonly title: readonly [start: number, end: number];
  /** Whether the block may be cut between its lines, from `from` to `to`. */
  readonly hasLines: boolean;
  /** The start of the block's content, after the opening lines. */
  readonly from: number;
  /** The end of the block's content, before the closing line. */
  readonly to: number;
  readonly language: string | undefined;
}

export function isAside(block: Block | undefined): boolean {
  return block?.kind === 'comment' || block?.kind === 'metadata';
}

type Fields = Partial<Omit<Block, 'kind' | 'start' | 'end'>>;

const NO_TITLE = [0, 0] as const;
/** Maximum depth, so that boundaries have few ranks. */
const MAX_DEPTH = 6;
/** Maximum lines, such as labels, that are added to the next block. More lines become a block of their own. */
const MAX_LEADS = 12;

export class Blocks {
  readonly #blocks: Writable[] = [];
  #lead = -1;
  #leads = 0;

  /** The kind of the last block; undefined if lines that belong to the next block follow it. */
  get lastKind(): BlockKind | undefined {
    return this.#lead === -1 ? this.#blocks.at(-1)?.kind : undefined;
  }

  get hasLead(): boolean {
    return this.#lead !== -1;
  }

  /** Adds a line that belongs to the next block, such as a label or an attribute. */
  lead(start: number): void {
    if (this.#lead === -1) this.#lead = start;
    this.#leads++;
  }

  add(kind: BlockKind, at: number, fields: Fields = {}): void {
    const isLed = this.#lead !== -1 && this.#leads <= MAX_LEADS;
    if (!isLed) this.#addLeads();
    const start = isLed ? this.#lead : at;
    this.#lead = -1;
    this.#leads = 0;
    this.#push(kind, start, fields);
  }

  #addLeads(): void {
    if (this.#lead !== -1) this.#push('metadata', this.#lead, { hasLines: true });
  }

  #push(kind: BlockKind, at: number, fields: Fields): void {
    const { depth = 0, level = 0, title = NO_TITLE, hasLines = false, from = at, to = -1, language } = fields;
    const start = this.#blocks.length === 0 ? 0 : at;
    this.#blocks.push({
      kind,
      start,
      end: -1,
      depth: Math.min(depth, MAX_DEPTH),
      level,
      title,
      hasLines,
      from,
      to,
      language,
    });
  }

  /** @param length length of the text, where the last block ends */
  finish(length: number): readonly Block[] {
    this.#addLeads();
    if (this.#blocks.length === 0) this.#push('paragraph', 0, {});
    const blocks = this.#blocks;
    for (let index = 0; index < blocks.length; index++) {
      const block = blocks[index] as Writable;
      block.end = blocks[index + 1]?.start ?? length;
      if (block.to === -1) block.to = block.end;
    }
    return blocks;
  }
}

type Writable = { -readonly [Key in keyof Block]: Block[Key] };

/** Renumbers the levels of headings as 1, 2, 3, ... without gaps, for texts that lack the highest levels. */
export function withDenseLevels(blocks: readonly Block[]): readonly Block[] {
  const levels = [...new Set(blocks.map(({ level }) => level))]
    .filter((level) => level > 0)
    .sort((a, b) => a - b);
  if (levels.at(-1) === levels.length || levels.length === 0) return blocks;
  return blocks.map((block) =>
    block.level === 0 ? block : { ...block, level: levels.indexOf(block.level) + 1 },
  );
}

export interface Scan {
  readonly blocks: readonly Block[];
  plain(title: string): string;
}

/** Maps the names of the first list to level 1, of the second list to level 2, and so on. */
export function levelsOf(...lists: readonly string[]): ReadonlyMap<string, number> {
  return new Map(lists.flatMap((names, index) => names.split(' ').map((name) => [name, index + 1])));
}

/** Reads a table of names and signs, such as `amp=& lt=<`. */
export function signsOf(table: string): Map<string, string> {
  return new Map(
    table.split(/\s+/).map((pair) => {
      const end = pair.indexOf('=');
      return [pair.slice(0, end), pair.slice(end + 1)];
    }),
  );
}

const FIRST = 0xe000;
const LAST = 0xf8ff;
const SIGN = /[\ue000-\uf8ff]/g;

/** Replaces verbatim parts of a title with private-use characters until the markup around the parts is removed. */
export class Held {
  readonly #parts: string[] = [];

  /** @returns the character that replaces the part */
  hold(part: string): string {
    if (FIRST + this.#parts.length > LAST) return part;
    return String.fromCharCode(FIRST + this.#parts.push(part) - 1);
  }

  /** Restores the parts. Private-use characters of the title itself stay. */
  release(title: string): string {
    return title.replace(SIGN, (sign) => this.#parts[sign.charCodeAt(0) - FIRST] ?? sign);
  }
}

export abstract class BlockScanner {
  protected readonly lines: Lines;
  protected readonly blocks = new Blocks();

  constructor(text: string) {
    this.lines = new Lines(text);
  }

  scan(first = 0): readonly Block[] {
    const { lines } = this;
    for (let line = lines.firstInked(first); line < lines.count; line = lines.firstInked(line))
      line = this.addBlock(line);
    return this.blocks.finish(lines.text.length);
  }

  /** Adds the block that begins at a line. @returns the line after the block */
  protected abstract addBlock(line: number): number;
}
