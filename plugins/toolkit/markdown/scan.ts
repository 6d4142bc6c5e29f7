import { isBlankUnit } from '../../../core/engine/cuts/lines.ts';
import { keepOptimised } from '../../../core/engine/keep-optimised.ts';
import { LineEnds } from '../lines.ts';
import { utf16Units } from '../running-total.ts';
import { BOM, GREATER, TAB } from './letters.ts';
import type { RawBlocks } from './raw-blocks.ts';

/**
 * `esm` is an import or export of MDX. `raw` is math, or text that a template or a note program protects from
 * Markdown. A `list`, `item`, `quote` or `footnote` is a container: it contains other blocks.
 */
export type BlockKind =
  | 'front_matter'
  | 'heading'
  | 'paragraph'
  | 'fence'
  | 'indented'
  | 'html'
  | 'raw'
  | 'esm'
  | 'table'
  | 'break'
  | 'definition'
  | 'list'
  | 'item'
  | 'quote'
  | 'footnote';

/** Whole lines `[start, end)` of the text, including the last line break. Containers precede their contents. */
export interface MarkdownBlock {
  readonly kind: BlockKind;
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  /** 1 to 6 for headings; 0 for other blocks. */
  readonly level: number;
  /** Start of the text in the first line. For a table, start of the first row after the delimiter row. */
  readonly inner: number;
}

export interface OpenBlock extends MarkdownBlock {
  kind: BlockKind;
  end: number;
  level: number;
  inner: number;
  /** For an item or footnote, columns of indentation. For a fence, the number of its marks. */
  width: number;
  /** The marker of a fence, list or item; the kind of an HTML block; `LABEL_ALONE` or 0 for a paragraph. */
  mark: number;
}

/** Marks a paragraph that has only `[label]:` so far. The next line may complete the link definition. */
export const LABEL_ALONE = 1;

export function openBlock(
  kind: BlockKind,
  start: number,
  end: number,
  depth: number,
  inner: number,
): OpenBlock {
  return { kind, start, end, depth, level: 0, inner, width: 0, mark: 0 };
}

/** Maximum depth of containers, which limits the time per line. Deeper containers are read as text. */
export const MAX_CONTAINERS = 32;

export type Begun = 'leaf' | 'container';

export class Scan {
  readonly text: string;
  readonly units: Uint16Array;
  readonly line: Line;
  readonly blocks: OpenBlock[] = [];
  readonly open: OpenBlock[] = [];
  leaf: OpenBlock | undefined;
  raw: RawBlocks | undefined;
  /** Start of the last line of the open paragraph, and start of that line's text. */
  lastLine = 0;
  lastInk = 0;
  #lastEnd = 0;

  constructor(text: string) {
    this.text = text;
    this.units = unitsOf(text);
    this.line = new Line(text, this.units);
  }

  get openText(): OpenBlock | undefined {
    const { leaf } = this;
    return leaf?.kind === 'paragraph' || leaf?.kind === 'definition' ? leaf : undefined;
  }

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

  follow(leaf: OpenBlock): void {
    this.blocks.push(leaf);
    this.leaf = leaf;
  }

  extend(leaf: OpenBlock): void {
    leaf.end = this.line.next;
    this.#lastEnd = this.line.next;
  }

  closeTo(depth: number): void {
    this.leaf = undefined;
    while (this.open.length > depth) (this.open.pop() as OpenBlock).end = this.#lastEnd;
  }

  add(kind: BlockKind, depth: number): OpenBlock {
    // A list contains only items.
    const isInList = depth > 0 && this.open[depth - 1]?.kind === 'list' && kind !== 'item';
    this.closeTo(isInList ? depth - 1 : depth);
    const { start, next, ink } = this.line;
    const block = openBlock(kind, start, next, this.open.length, ink);
    this.blocks.push(block);
    this.#lastEnd = next;
    return block;
  }
}

/**
 * The current line of a text, and the position up to which its blocks have been read. Lines end with LF, CR or CR LF.
 * A tab advances the column to the next multiple of four.
 */
class Line {
  readonly #units: Uint16Array;
  readonly #ends: LineEnds;
  /** `[start, end)` excludes the line break; `next` is the start of the next line. */
  start = 0;
  end = 0;
  next = 0;
  /** `column` is the column of the position. `ink` is the offset of the next character that is not a space or tab. */
  column = 0;
  ink = 0;
  #inkColumn = 0;

  constructor(text: string, units: Uint16Array) {
    this.#units = units;
    this.#ends = new LineEnds(text);
  }

  read(): void {
    const start = this.next;
    this.start = start;
    this.next = this.#ends.next(start);
    this.end = this.#ends.end;
    this.column = 0;
    this.#skipSpace(start === 0 && this.#units[0] === BOM ? 1 : start);
  }

  get unit(): number {
    return this.#units[this.ink] as number;
  }

  get indent(): number {
    return this.#inkColumn - this.column;
  }

  get isBlank(): boolean {
    return this.ink >= this.end;
  }

  consume(letters: number): void {
    this.column = this.#inkColumn + letters;
    this.#skipSpace(this.ink + letters);
  }

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

/** Maximum code units of an array that is kept and reused for the next text. */
const MAX_KEPT = 1 << 20;
let kept = new Uint16Array(0);

/** The UTF-16 units of a text. The array is reused, so it is valid only until the next call. */
function unitsOf(text: string): Uint16Array {
  const { length } = text;
  if (length > MAX_KEPT) return utf16Units(text);
  if (length > kept.length) kept = new Uint16Array(Math.min(MAX_KEPT, 2 * length));
  Buffer.from(kept.buffer).write(text, 'utf16le');
  return kept.subarray(0, length);
}

keepOptimised([new Scan(''), openBlock('paragraph', 0, 0, 0, 0)]);
