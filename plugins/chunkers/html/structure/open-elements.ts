import type { KindBits } from './contents.ts';
import type { Block } from './elements.ts';

/** An open block with its context. */
export interface Element {
  readonly block: Block;
  /** Its own kind and those of all blocks around it. */
  readonly kinds: KindBits;
  readonly unit: Unit | undefined;
  /** Whether it is left out, so that nothing in it is recorded. */
  readonly isSkipped: boolean;
}

/** Kept whole by `oversize: keep`. */
export interface Unit {
  readonly start: number;
  end: number;
  isKept: boolean;
}

/** How far up an open element is searched: deeper nesting is read less precisely, but in linear time. */
const MAX_LOOKED = 64;

const NONE: ReadonlySet<string> = new Set();
const TABLE = new Set(['table']);
const CELLS = new Set(['table', 'caption', 'td', 'th', 'template']);
const LISTS = new Set([...CELLS, 'ul', 'ol', 'menu', 'dir']);
const PARTS = new Set(['table', 'thead', 'tbody', 'tfoot']);
const ROWS = new Set([...PARTS, 'tr']);
/** What an item, or a term, leaves open on the way to the previous one. */
const PASSED = new Set(['address', 'div', 'p']);
const TERMS = new Set(['dd', 'dt']);
const ITEMS = new Set(['li']);
const OF_TABLES = new Set(['table', 'caption', 'colgroup', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th']);

/** Where an element ends: its content at `inner`, and including its closing tag, if there is one here, at `end`. */
type Leave = (element: Element, inner: number, end: number) => void;

/** The open block elements, outermost first. */
export class OpenElements {
  readonly #open: Element[] = [];
  readonly #left: Leave;

  /** @param left called for each element that ends, innermost first */
  constructor(left: Leave) {
    this.#left = left;
  }

  get depth(): number {
    return this.#open.length;
  }

  get innermost(): Element | undefined {
    return this.#open.at(-1);
  }

  push(element: Element): void {
    this.#open.push(element);
  }

  /** Leaves what an opening tag at an offset closes. */
  leaveBefore({ name, closes }: Block, start: number): void {
    if (closes === 'nothing') return;
    if (closes === 'option') {
      this.#leaveInnermost('option', start);
      if (name === 'optgroup') this.#leaveInnermost('optgroup', start);
      return;
    }
    this.#leaveInnermost('p', start);
    if (closes === 'heading' && (this.innermost?.block.level ?? 0) > 0) this.#leaveTo(this.depth - 1, start);
    if (closes === 'item') this.#leaveNearest(ITEMS, start);
    if (closes === 'term') this.#leaveNearest(TERMS, start);
    if (closes === 'part') this.#leaveWithin(TABLE, start);
    if (closes === 'row') this.#leaveWithin(PARTS, start);
    if (closes === 'cell') this.#leaveWithin(ROWS, start);
  }

  /** Leaves what a closing tag `[start, end)` closes, with everything in it. */
  close({ name, level }: Block, start: number, end: number): void {
    const index = this.#closedBy(name, level > 0);
    if (index === -1) return;
    this.#leaveTo(index + 1, start);
    this.#leaveTo(index, start, end);
  }

  /** The index of the open element that a closing tag closes; -1 if there is none. */
  #closedBy(name: string, isHeading: boolean): number {
    const bounds = boundsOf(name);
    for (let index = this.depth - 1; index >= this.#least; index--) {
      const open = this.#blockAt(index);
      if (open.name === name || (isHeading && open.level > 0)) return index;
      if (bounds.has(open.name)) break;
    }
    return -1;
  }

  /** Leaves all open elements. */
  closeAll(end: number): void {
    this.#leaveTo(0, end);
  }

  #leaveNearest(names: ReadonlySet<string>, start: number): void {
    const index = this.#innermostIn(PASSED, false);
    if (index !== -1 && names.has(this.#blockAt(index).name)) this.#leaveTo(index, start);
  }

  /** Leaves everything within the innermost of some elements. */
  #leaveWithin(bounds: ReadonlySet<string>, start: number): void {
    const index = this.#innermostIn(bounds, true);
    if (index !== -1) this.#leaveTo(index + 1, start);
  }

  /** The index of the innermost open element that is, or is not, one of some; -1 if there is none near enough. */
  #innermostIn(names: ReadonlySet<string>, isIn: boolean): number {
    for (let index = this.depth - 1; index >= this.#least; index--)
      if (names.has(this.#blockAt(index).name) === isIn) return index;
    return -1;
  }

  /** The outermost open element that is looked at. */
  get #least(): number {
    return Math.max(this.depth - MAX_LOOKED, 0);
  }

  #blockAt(index: number): Block {
    return (this.#open[index] as Element).block;
  }

  #leaveInnermost(name: string, start: number): void {
    if (this.innermost?.block.name === name) this.#leaveTo(this.depth - 1, start);
  }

  #leaveTo(depth: number, inner: number, end = inner): void {
    while (this.#open.length > depth) this.#left(this.#open.pop() as Element, inner, end);
  }
}

/** Elements beyond which a closing tag has no effect. */
function boundsOf(name: string): ReadonlySet<string> {
  if (OF_TABLES.has(name)) return name === 'table' ? NONE : TABLE;
  return name === 'li' ? LISTS : CELLS;
}
