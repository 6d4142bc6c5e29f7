import { isBlankUnit } from '../../../core/engine/cuts/lines.ts';
import { keepOptimised } from '../../../core/engine/keep-optimised.ts';
import { LineEnds } from '../lines.ts';
import { utf16Units } from '../running-total.ts';
import { type BlockKind, type OpenBlock, openBlock } from './block.ts';
import { BOM, GREATER, TAB } from './letters.ts';
import type { RawBlocks } from './raw-blocks.ts';

/** Deeper containers are treated as text, which bounds the cost of a line. */
export const MAX_CONTAINERS = 32;

/** What a line has begun. */
export type Begun = 'leaf' | 'container';

/** A pass over the lines of a Markdown text: the current line, the blocks so far, and the open ones. */
export class Scan {
  readonly text: string;
  /** Its UTF-16 units, which are read faster, and with less code, than those of a string. */
  readonly units: Uint16Array;
  readonly line: Line;
  readonly found: OpenBlock[] = [];
  /** The open containers, outermost first. */
  readonly open: OpenBlock[] = [];
  /** The open leaf block in the innermost container. */
  leaf: OpenBlock | undefined;
  /** What reads blocks that are not Markdown; made when the first line may begin one. */
  raw: RawBlocks | undefined;
  /** Where the last line of the open paragraph begins, and where that line's text begins. */
  lastLine = 0;
  lastInk = 0;
  /** End of the last line that belongs to a block. */
  #lastEnd = 0;

  constructor(text: string) {
    this.text = text;
    this.units = unitsOf(text);
    this.line = new Line(text, this.units);
  }

  /** The open text, which a line may continue. */
  get openText(): OpenBlock | undefined {
    const { leaf } = this;
    return leaf?.kind === 'paragraph' || leaf?.kind === 'definition' ? leaf : undefined;
  }

  /** Begins a leaf that the next lines may continue. */
  begin(kind: BlockKind, depth: number): OpenBlock {
    const leaf = this.add(kind, depth);
    this.leaf = leaf;
    return leaf;
  }

  beginContainer(kind: BlockKind, depth: number): OpenBlock {
    const container = this.add(kind, depth);
    this.open.push(container);
    return container;
  }

  /** Replaces the open leaf by one that follows it in the same containers. */
  follow(leaf: OpenBlock): void {
    this.found.push(leaf);
    this.leaf = leaf;
  }

  /** Adds the current line to a block. */
  extend(leaf: OpenBlock): void {
    leaf.end = this.line.next;
    this.#lastEnd = this.line.next;
  }

  /** Closes the leaf, and all containers deeper than this. */
  closeTo(depth: number): void {
    this.leaf = undefined;
    while (this.open.length > depth) (this.open.pop() as OpenBlock).end = this.#lastEnd;
  }

  /** Adds a block of the current line in this many of the open containers, and closes the others. */
  add(kind: BlockKind, depth: number): OpenBlock {
    // A list holds nothing but items. V8 looks up an index of -1 as a name, which is slow.
    const isInList = depth > 0 && this.open[depth - 1]?.kind === 'list' && kind !== 'item';
    this.closeTo(isInList ? depth - 1 : depth);
    const { start, next, ink } = this.line;
    const block = openBlock(kind, start, next, this.open.length, ink);
    this.found.push(block);
    this.#lastEnd = next;
    return block;
  }
}

/**
 * The lines of a text, one after the other, and how far blocks have read into the current one. Lines end with LF, CR
 * or both. Columns count a tab up to the next multiple of four.
 */
class Line {
  readonly #units: Uint16Array;
  readonly #ends: LineEnds;
  /** `[start, end)` without the break, and where the next line begins. */
  start = 0;
  end = 0;
  next = 0;
  /** The column read up to, and the first character after it that is not a space, with its column. */
  column = 0;
  ink = 0;
  #inkColumn = 0;

  constructor(text: string, units: Uint16Array) {
    this.#units = units;
    this.#ends = new LineEnds(text);
  }

  /** Goes to the next line; there must be one. */
  read(): void {
    const start = this.next;
    this.start = start;
    this.next = this.#ends.next(start);
    this.end = this.#ends.end;
    this.column = 0;
    this.#skipSpace(start === 0 && this.#units[0] === BOM ? 1 : start);
  }

  /** The first character after the position read up to; undefined at the end of the text. */
  get unit(): number {
    return this.#units[this.ink] as number;
  }

  /** Columns of space before it. */
  get indent(): number {
    return this.#inkColumn - this.column;
  }

  get isBlank(): boolean {
    return this.ink >= this.end;
  }

  /** Skips a marker of this length. */
  consume(letters: number): void {
    this.column = this.#inkColumn + letters;
    this.#skipSpace(this.ink + letters);
  }

  /** Skips a quote marker, if one is next. */
  consumeQuote(): boolean {
    if (this.indent >= 4 || this.isBlank || this.unit !== GREATER) return false;
    this.consume(1);
    if (this.indent > 0) this.column++;
    return true;
  }

  #skipSpace(from: number): void {
    const units = this.#units;
    let at = from;
    let column = this.column;
    for (; at < this.end; at++) {
      const unit = units[at] as number;
      if (!isBlankUnit(unit)) break;
      column += unit === TAB ? 4 - (column % 4) : 1;
    }
    this.ink = at;
    this.#inkColumn = column;
  }
}

/** Units of a text whose memory is kept for the next one. */
const MAX_KEPT = 1 << 20;
let kept = new Uint16Array(0);

/** The units of a text, until those of the next one are read. */
function unitsOf(text: string): Uint16Array {
  const { length } = text;
  if (length > MAX_KEPT) return utf16Units(text);
  if (length > kept.length) kept = new Uint16Array(Math.min(MAX_KEPT, 2 * length));
  Buffer.from(kept.buffer).write(text, 'utf16le');
  return kept.subarray(0, length);
}

// A scan holds a line and its ends.
keepOptimised([new Scan(''), openBlock('paragraph', 0, 0, 0, 0)]);
