/** Kinds of blocks, as chunks list them. */
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

/** A stretch of a text. A block ends where the next one begins. */
export interface Block {
  readonly kind: BlockKind;
  readonly start: number;
  readonly end: number;
  /** The number of blocks around it that are cut only if they are too large. */
  readonly depth: number;
  /** The level of a heading that makes a section, from 1, the highest; else 0. */
  readonly level: number;
  /** Where the text of a heading is. */
  readonly title: readonly [start: number, end: number];
  /** Whether it may be cut between its lines: after `from`, before `to`. */
  readonly hasLines: boolean;
  /** Where the content begins, after the lines that open the block. */
  readonly from: number;
  /** Where the content ends, before the line that closes the block. */
  readonly to: number;
  readonly language: string | undefined;
}

/** Whether a block is a comment or attributes: below a heading, the text follows after it. */
export function isAside(block: Block | undefined): boolean {
  return block?.kind === 'comment' || block?.kind === 'metadata';
}

type Fields = Partial<Omit<Block, 'kind' | 'start' | 'end'>>;

const NO_TITLE = [0, 0] as const;
/** Ranks of boundaries are few. */
const MAX_DEPTH = 6;
/** Lines that lead into a block. More are a block of their own. */
const MAX_LEADS = 12;

/** Blocks that are added in the order of the text. */
export class Blocks {
  readonly #blocks: Writable[] = [];
  #lead = -1;
  #leads = 0;

  /** Kind of the last block, unless lines that lead into the next one follow it. */
  get lastKind(): BlockKind | undefined {
    return this.#lead === -1 ? this.#blocks.at(-1)?.kind : undefined;
  }

  /** Whether lines have been added that lead into the next block. */
  get hasLead(): boolean {
    return this.#lead !== -1;
  }

  /** A line at an offset belongs to the next block: a label, an attribute, a title of a block. */
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
      ...{ kind, start, end: -1, depth: Math.min(depth, MAX_DEPTH), level, title, hasLines, from, to },
      language,
    });
  }

  /** All blocks, the last of which ends with the text. */
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

/** Blocks whose levels of headings are 1, 2, 3, ... without gaps, for texts that need not begin with the highest. */
export function withDenseLevels(blocks: readonly Block[]): readonly Block[] {
  const levels = [...new Set(blocks.map(({ level }) => level))]
    .filter((level) => level > 0)
    .sort((a, b) => a - b);
  if (levels.at(-1) === levels.length || levels.length === 0) return blocks;
  return blocks.map((block) =>
    block.level === 0 ? block : { ...block, level: levels.indexOf(block.level) + 1 },
  );
}

/** The blocks of a text, and how its titles are read. */
export interface Scan {
  readonly blocks: readonly Block[];
  /** A title without markup. */
  plain(title: string): string;
}
