import { blockAt, blocksOf } from '../text/blocks.ts';
import { blockIn } from './columns.ts';
import type { Column } from './columns-of-state.ts';

/** Pixels above and below the visible area that are also rendered. */
const MARGIN = 800;
/** Pixels beside the text of a column. */
const PADDING = 24;

/** Events of the viewer. */
export interface ViewerEvents {
  /** A chunk of a column was chosen, by the column's index. */
  select(column: number, chunk: number): void;
  /** Keys that move to other chunks. */
  move(by: 1 | -1): void;
}

/**
 * Shows a text in columns side by side, which scroll together. The text is divided into blocks, and only the visible
 * blocks are rendered, at their measured or estimated heights.
 */
export class Viewer {
  readonly element: HTMLElement;
  readonly #sizer: HTMLElement;
  readonly #events: ViewerEvents;
  readonly #rows = new Map<number, HTMLElement>();
  #text = '';
  #edges: number[] = [0];
  #columns: readonly Column[] = [];
  #layout = layoutOf('', this.#edges, 1);
  #isScheduled = false;
  #tokens: readonly number[] = [];

  constructor(events: ViewerEvents) {
    this.#events = events;
    this.element = document.createElement('div');
    this.element.className = 'viewer';
    this.element.tabIndex = 0;
    this.element.setAttribute('role', 'region');
    this.element.setAttribute('aria-label', 'The text with its chunks; arrow keys go from chunk to chunk');
    this.#sizer = document.createElement('div');
    this.#sizer.className = 'sizer';
    this.element.append(this.#sizer);
    this.element.addEventListener('scroll', () => this.#schedule(), { passive: true });
    this.element.addEventListener('click', (event) => this.#clicked(event));
    this.element.addEventListener('keydown', (event) => this.#pressed(event));
    new ResizeObserver(() => {
      const { offsetWidth, clientWidth } = this.element;
      // There is no scroll bar beside the heads of the columns.
      document.documentElement.style.setProperty('--scrollbar', `${offsetWidth - clientWidth}px`);
      this.#forgetHeights();
    }).observe(this.element);
  }

  /** Shows columns of a text; a previous text is removed at once. */
  show(text: string, columns: readonly Column[]): void {
    const isOther = text !== this.#text;
    const isOtherWidth = columns.length !== this.#columns.length;
    this.#columns = columns;
    if (isOther) {
      this.#text = text;
      this.#edges = blocksOf(text);
      this.element.scrollTop = 0;
    }
    for (const row of this.#rows.values()) row.remove();
    this.#rows.clear();
    this.element.style.setProperty('--columns', String(Math.max(1, columns.length)));
    if (isOther || isOtherWidth) this.#forgetHeights();
    this.#draw();
  }

  /** Marks the tokens of the text. @param starts where they begin; empty for no marks */
  showTokens(starts: readonly number[]): void {
    this.#tokens = starts;
    this.#markTokens();
  }

  #markTokens(): void {
    markTokens(this.#sizer.querySelectorAll<HTMLElement>('span[data-start]'), this.#tokens);
  }

  /** Scrolls to an offset of the text, unless it is visible. */
  reveal(offset: number): void {
    const block = blockAt(this.#edges, offset);
    const { scrollTop, clientHeight } = this.element;
    const top = this.#layout.topOf(block);
    if (top < scrollTop || top > scrollTop + clientHeight) this.element.scrollTop = top;
    this.#draw();
    const span = this.#spanAt(offset);
    if (span === undefined) return;
    const { top: at, bottom } = span.getBoundingClientRect();
    const box = this.element.getBoundingClientRect();
    if (at < box.top + 40) this.element.scrollTop += at - box.top - 40;
    else if (bottom > box.bottom - 40 && at - (bottom - box.bottom + 40) > box.top) {
      this.element.scrollTop += bottom - box.bottom + 40;
    } else if (at > box.bottom - 60) this.element.scrollTop += at - box.top - 80;
  }

  #spanAt(offset: number): HTMLElement | undefined {
    const row = this.#rows.get(blockAt(this.#edges, offset));
    const spans = [...(row?.querySelectorAll<HTMLElement>('span.selected') ?? [])];
    return spans.find((span) => Number(span.dataset.start) >= offset) ?? spans[0];
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#draw();
    });
  }

  /** Estimates all heights again except those of rendered blocks: the text or its width has changed. */
  #forgetHeights(): void {
    const width = this.element.clientWidth / Math.max(1, this.#columns.length) - PADDING;
    this.#layout = layoutOf(this.#text, this.#edges, width);
    this.#sizer.style.height = `${this.#layout.height}px`;
    this.#measure([...this.#rows.keys()].sort((a, b) => a - b));
    this.#schedule();
  }

  /** Renders the visible blocks and removes the others. */
  #draw(): void {
    const { scrollTop, clientHeight } = this.element;
    const [from, to] = [scrollTop - MARGIN, scrollTop + clientHeight + MARGIN];
    const layout = this.#layout;
    const isInSight = (block: number) => layout.topOf(block + 1) >= from && layout.topOf(block) <= to;
    for (const [block, row] of this.#rows) {
      if (isInSight(block)) continue;
      row.remove();
      this.#rows.delete(block);
    }
    const made: number[] = [];
    for (let block = layout.firstBelow(from); block < layout.count && isInSight(block); block++) {
      if (this.#rows.has(block)) continue;
      this.#addRow(block);
      made.push(block);
    }
    this.#measure(made);
    if (this.#tokens.length > 0 && made.length > 0) this.#markTokens();
  }

  #addRow(block: number): void {
    const row = document.createElement('div');
    row.className = 'row';
    const [from, to] = [this.#edges[block] as number, this.#edges[block + 1] as number];
    for (const [index, column] of this.#columns.entries()) {
      const cell = document.createElement('div');
      const { isStale, error } = column.run;
      const state = isStale ? 'stale' : error === undefined ? '' : 'failed';
      cell.className = `cell setting-${column.setting.id} ${state}`;
      cell.dataset.column = String(index);
      cell.dir = 'auto';
      cell.append(blockIn(column, this.#text, from, to));
      row.append(cell);
    }
    this.#rows.set(block, row);
    this.#sizer.append(row);
  }

  /** Replaces estimated heights by those of new rows; the visible text does not move. */
  #measure(made: readonly number[]): void {
    const [lowest] = made;
    if (lowest === undefined) return;
    const { scrollTop } = this.element;
    const layout = this.#layout;
    const anchor = layout.firstBelow(scrollTop);
    const before = layout.topOf(anchor);
    layout.measured(made.map((block) => [block, (this.#rows.get(block) as HTMLElement).offsetHeight]));
    this.#sizer.style.height = `${layout.height}px`;
    for (const [block, row] of this.#rows) row.style.transform = `translateY(${layout.topOf(block)}px)`;
    const moved = layout.topOf(anchor) - before;
    if (moved !== 0 && lowest < anchor) this.element.scrollTop = scrollTop + moved;
  }

  #clicked(event: MouseEvent): void {
    const span = (event.target as HTMLElement).closest<HTMLElement>('span[data-chunk]');
    const cell = span?.closest<HTMLElement>('.cell');
    // Selecting text is not a click.
    if (!span || !cell || getSelection()?.isCollapsed === false) return;
    this.#events.select(Number(cell.dataset.column), Number(span.dataset.chunk));
  }

  #pressed(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    this.#events.move(by as 1 | -1);
  }
}

/** The name of the highlight in the style sheet. */
const NAME = 'token';

/**
 * Marks every second token of the rendered text, so that each begins where the marking changes.
 *
 * @param spans of the text, with their offsets in `data-start`
 * @param starts where tokens begin; never decreasing
 */
function markTokens(spans: Iterable<HTMLElement>, starts: readonly number[]): void {
  const ranges: Range[] = [];
  for (const span of spans) {
    const node = span.firstChild;
    const from = Number(span.dataset.start);
    if (node === null || starts.length === 0) continue;
    const to = from + (node.nodeValue as string).length;
    for (
      let index = lastUpTo(starts, from);
      index < starts.length && (starts[index] as number) < to;
      index++
    ) {
      const end = Math.min(to, starts[index + 1] ?? to);
      const start = Math.max(from, starts[index] as number);
      if (index % 2 === 0 || start >= end) continue;
      const range = document.createRange();
      range.setStart(node, start - from);
      range.setEnd(node, end - from);
      ranges.push(range);
    }
  }
  CSS.highlights.set(NAME, new Highlight(...ranges));
}

/** The last one at or below an offset; 0 if all are above. */
function lastUpTo(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

/** Pixels of a line, and of a character, for estimating the height of a block until it is rendered. */
const LINE = 24;
const CHARACTER = 8;

/** The vertical layout of blocks, at known or estimated heights. */
interface BlockLayout {
  readonly count: number;
  /** Total height, in pixels. */
  readonly height: number;
  /** Pixels above a block. */
  topOf(block: number): number;
  /** The first block that ends at or below a position. */
  firstBelow(place: number): number;
  /** Updates measured heights of blocks, in rising order. */
  measured(heights: readonly (readonly [block: number, height: number])[]): void;
}

/**
 * Estimates the heights of the blocks of a text.
 *
 * @param edges where they begin, and the end of the text
 * @param width of the text, in pixels
 */
function layoutOf(text: string, edges: readonly number[], width: number): BlockLayout {
  const count = Math.max(0, edges.length - 1);
  const perLine = Math.max(8, width / CHARACTER);
  const linesIn = (block: number) => countLines(text.slice(edges[block], edges[block + 1]), perLine);
  const heights = Float64Array.from({ length: count }, (_, block) => linesIn(block) * LINE);
  const tops = new Float64Array(count + 1);
  const addUp = (from: number) => {
    for (let at = from; at < count; at++) tops[at + 1] = (tops[at] as number) + (heights[at] as number);
  };
  addUp(0);
  return {
    count,
    get height() {
      return tops[count] as number;
    },
    topOf: (block) => tops[block] ?? 0,
    firstBelow(place) {
      let [low, high] = [0, count];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((tops[middle + 1] as number) >= place) high = middle;
        else low = middle + 1;
      }
      return low;
    },
    measured(given) {
      for (const [block, height] of given) heights[block] = height;
      if (given[0] !== undefined) addUp(given[0][0]);
    },
  };
}

function countLines(text: string, perLine: number): number {
  return text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / perLine)), 0);
}
