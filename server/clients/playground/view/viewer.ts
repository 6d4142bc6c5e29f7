import { blockAt, blocksOf, type Column, classesOf, firstIndex, piecesOf } from '../text/pieces.ts';

/** Pixels above and below the visible area that are rendered in advance. */
const MARGIN = 800;
const PADDING = 24;

export interface ViewerEvents {
  select(column: number, chunk: number): void;
  move(by: 1 | -1): void;
}

/**
 * Shows the text in one column per setting; all columns scroll together. Each block of the text is a row. Only rows
 * near the visible area have content; the other rows have a measured or estimated height.
 */
export class Viewer {
  readonly element: HTMLElement;
  readonly #events: ViewerEvents;
  #text = '';
  #edges: number[] = [0];
  #columns: readonly Column[] = [];
  #rows: HTMLElement[] = [];
  #drawn = new Set<number>();
  #tokens: readonly number[] = [];

  constructor(events: ViewerEvents) {
    this.#events = events;
    this.element = document.createElement('div');
    this.element.className = 'viewer';
    this.element.tabIndex = 0;
    this.element.setAttribute('role', 'region');
    this.element.setAttribute('aria-label', 'The text with its chunks; arrow keys go from chunk to chunk');
    this.element.addEventListener('scroll', () => this.#draw(), { passive: true });
    this.element.addEventListener('click', (event) => this.#clicked(event));
    this.element.addEventListener('keydown', (event) => this.#pressed(event));
    new ResizeObserver(() => {
      const { offsetWidth, clientWidth } = this.element;
      // The column heads do not scroll. They reserve the width of the viewer's scroll bar to stay aligned.
      document.documentElement.style.setProperty('--scrollbar', `${offsetWidth - clientWidth}px`);
      this.#estimateHeights();
      this.#draw();
    }).observe(this.element);
  }

  show(text: string, columns: readonly Column[]): void {
    const isOther = text !== this.#text;
    const isOtherWidth = columns.length !== this.#columns.length;
    this.#columns = columns;
    this.element.style.setProperty('--columns', String(Math.max(1, columns.length)));
    if (isOther) this.#replaceText(text);
    if (isOther || isOtherWidth) this.#estimateHeights();
    this.#draw({ isOther: true });
  }

  #replaceText(text: string): void {
    this.#text = text;
    this.#edges = blocksOf(text);
    this.#drawn.clear();
    this.#rows = this.#edges.slice(1).map(() => {
      const row = document.createElement('div');
      row.className = 'row';
      return row;
    });
    this.element.replaceChildren(...this.#rows);
    this.element.scrollTop = 0;
  }

  /** Marks the tokens of the text. @param starts offsets of tokens; an empty list removes all marks */
  showTokens(starts: readonly number[]): void {
    this.#tokens = starts;
    this.#markTokens();
  }

  #markTokens(): void {
    markTokens(this.element.querySelectorAll<HTMLElement>('span[data-start]'), this.#tokens);
  }

  reveal(offset: number): void {
    const block = blockAt(this.#edges, offset);
    const row = this.#rows[block];
    if (row === undefined) return;
    if (!this.#drawn.has(block)) this.element.scrollTop = row.offsetTop;
    this.#draw();
    const spans = [...row.querySelectorAll<HTMLElement>('span.selected')];
    const span = spans.find(({ dataset }) => Number(dataset.start) >= offset) ?? spans[0];
    const isTall = (span?.offsetHeight ?? 0) > this.element.clientHeight;
    span?.scrollIntoView({ block: isTall ? 'start' : 'nearest' });
  }

  #estimateHeights(): void {
    const width = this.element.clientWidth / Math.max(1, this.#columns.length) - PADDING;
    const perLine = Math.max(8, width / CHARACTER);
    for (const [block, row] of this.#rows.entries()) {
      if (this.#drawn.has(block)) continue;
      const text = this.#text.slice(this.#edges[block], this.#edges[block + 1]);
      row.style.height = `${countLines(text, perLine) * LINE}px`;
    }
  }

  #draw({ isOther = false } = {}): void {
    const { element } = this;
    const rows = this.#rows;
    const from = element.scrollTop - MARGIN;
    const before = this.#drawn;
    this.#drawn = new Set();
    const isBelow = (block: number) => bottomOf(rows[block] as HTMLElement) >= from;
    for (let block = firstIndex(rows.length, isBelow); block < rows.length; block++) {
      if ((rows[block] as HTMLElement).offsetTop > element.scrollTop + element.clientHeight + MARGIN) break;
      this.#drawn.add(block);
      if (isOther || !before.has(block)) this.#fill(block);
    }
    for (const block of before.difference(this.#drawn)) {
      const row = rows[block] as HTMLElement;
      row.style.height = `${row.offsetHeight}px`;
      row.replaceChildren();
    }
    const isSame = !isOther && this.#drawn.isSubsetOf(before);
    if (this.#tokens.length > 0 && !isSame) this.#markTokens();
  }

  /** Fills a row and removes its estimated height. If the row is above the visible text, keeps that text in place. */
  #fill(block: number): void {
    const { element } = this;
    const row = this.#rows[block] as HTMLElement;
    const bottom = bottomOf(row);
    row.replaceChildren(...this.#columns.map((column, index) => this.#cellOf(block, column, index)));
    row.style.height = '';
    if (bottom <= element.scrollTop) element.scrollTop += bottomOf(row) - bottom;
  }

  #cellOf(block: number, column: Column, index: number): HTMLElement {
    const cell = document.createElement('div');
    const { isStale, error } = column.run;
    const state = isStale ? 'stale' : error === undefined ? '' : 'failed';
    cell.className = `cell setting-${column.setting.id} ${state}`;
    cell.dataset.column = String(index);
    cell.dir = 'auto';
    cell.append(blockIn(column, this.#text, this.#edges[block] as number, this.#edges[block + 1] as number));
    return cell;
  }

  #clicked(event: MouseEvent): void {
    const span = (event.target as HTMLElement).closest<HTMLElement>('span[data-chunk]');
    const cell = span?.closest<HTMLElement>('.cell');
    // A click that ends a selection of text does not select a chunk.
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

export function blockIn(column: Column, text: string, from: number, to: number): DocumentFragment {
  const { run, hits } = column;
  const fragment = document.createDocumentFragment();
  for (const piece of piecesOf(run.chunks, from, to)) {
    const { start, end, chunk } = piece;
    const span = document.createElement('span');
    const hit = hits.get(chunk);
    span.className = classesOf(column, piece);
    span.dataset.start = String(start);
    span.dataset.chunk = String(chunk);
    if (hit !== undefined && run.chunks[chunk]?.start_index === start) span.dataset.hit = String(hit);
    span.append(text.slice(start, end));
    fragment.append(span);
  }
  return fragment;
}

const NAME = 'token';

/**
 * Marks every second token, so that adjacent tokens can be told apart.
 *
 * @param spans rendered pieces of the text, with their offsets in `data-start`
 * @param starts offsets of the tokens, in ascending order
 */
function markTokens(spans: Iterable<HTMLElement>, starts: readonly number[]): void {
  const ranges: Range[] = [];
  for (const span of spans) {
    const node = span.firstChild;
    const from = Number(span.dataset.start);
    if (node === null || starts.length === 0) continue;
    const to = from + (node.nodeValue as string).length;
    const first = firstIndex(starts.length, (index) => (starts[index] as number) > from) - 1;
    for (let index = Math.max(0, first); index < starts.length && (starts[index] as number) < to; index++) {
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

const bottomOf = ({ offsetTop, offsetHeight }: HTMLElement) => offsetTop + offsetHeight;

/** Estimated height of a line and width of a character, in pixels, for rows that are not rendered yet. */
const LINE = 24;
const CHARACTER = 8;

function countLines(text: string, perLine: number): number {
  return text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / perLine)), 0);
}
