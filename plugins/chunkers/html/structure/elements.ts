/** Block elements by kind of content. If a stretch has several kinds, they are listed in this order. */
const NAMES_BY_KIND = {
  navigation: 'nav',
  form: 'form',
  details: 'details',
  quote: 'blockquote',
  list: 'ul ol dl menu dir',
  table: 'table',
  figure: 'figure',
  heading: 'h1 h2 h3 h4 h5 h6',
  paragraph: 'p',
  code: 'pre xmp listing plaintext',
  script: 'script',
  style: 'style',
  template: 'template',
  metadata: 'title meta link base',
  comment: '',
  text: '',
} as const;

export type Kind = keyof typeof NAMES_BY_KIND;
export const KINDS = Object.keys(NAMES_BY_KIND) as readonly Kind[];

export type KindBits = number;

export function bitOf(kind: Kind | undefined): KindBits {
  return kind === undefined ? 0 : 1 << KINDS.indexOf(kind);
}

/** A block element. The text can be cut before and after the element. */
export interface Block {
  readonly name: string;
  readonly kind: Kind | undefined;
  /** The level of a heading, 1 to 6; 0 for other elements. */
  readonly level: number;
  readonly closes: Closes;
  readonly isVoid: boolean;
  /** Whether headings in the element are below the heading around the element, and their sections end with it. */
  readonly isScope: boolean;
  /** Whether a heading in the element introduces only text within the element. */
  readonly isItem: boolean;
  /** Whether the element counts as content even if it is empty. */
  readonly isShown: boolean;
}

/** Block elements, grouped by what their opening tags close. */
const NAMES_BY_CLOSES = {
  nothing: 'html head body script style template noscript title meta link base select',
  paragraph: `address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form
    header hgroup hr legend listing main menu nav ol p plaintext pre search section summary table ul xmp`,
  heading: 'h1 h2 h3 h4 h5 h6',
  item: 'li',
  term: 'dt dd',
  option: 'option optgroup',
  part: 'caption colgroup thead tbody tfoot',
  row: 'tr',
  cell: 'td th',
} as const;

type Closes = keyof typeof NAMES_BY_CLOSES;

const KIND_BY_NAME: ReadonlyMap<string, Kind> = new Map(
  KINDS.flatMap((kind) => [...wordsIn(NAMES_BY_KIND[kind])].map((name) => [name, kind])),
);

const VOID = new Set(['base', 'hr', 'link', 'meta']);
const SCOPES = wordsIn('article aside details dialog fieldset figure nav section td th');

const SHOWN = new Set(['script', 'style', 'title']);

/** Block elements by name. Elements that are not listed are inline. */
export const BLOCKS: ReadonlyMap<string, Block> = new Map(
  Object.entries(NAMES_BY_CLOSES).flatMap(([closes, names]) =>
    [...wordsIn(names)].map((name) => [name, blockOf(name, closes as Closes)]),
  ),
);

function blockOf(name: string, closes: Closes): Block {
  return {
    name,
    kind: KIND_BY_NAME.get(name),
    level: closes === 'heading' ? Number(name[1]) : 0,
    closes,
    isVoid: VOID.has(name),
    isScope: SCOPES.has(name),
    isItem: SCOPES.has(name) || closes === 'item' || closes === 'term',
    isShown: (VOID.has(name) && name !== 'hr') || SHOWN.has(name),
  };
}

export function wordsIn(list: string): ReadonlySet<string> {
  return new Set(list.match(/\S+/g));
}

/** Inline elements without a closing tag. */
export const VOID_INLINE = wordsIn('area br col embed img input param source track wbr');

/** Inline elements that are visible without text. */
export const SHOWN_INLINE = wordsIn(
  'area audio br button canvas embed iframe img input math meter object param progress source svg textarea track video wbr',
);

export interface Element {
  readonly block: Block;
  /** The kinds of the element and of all blocks around the element. */
  readonly kinds: KindBits;
  readonly unit: Unit | undefined;
  /** Whether the element is skipped, or is in a skipped element. Its content is not recorded. */
  readonly isSkipped: boolean;
}

export interface Unit {
  readonly start: number;
  end: number;
  isKept: boolean;
}

const MAX_LOOKED = 64;

const NONE: ReadonlySet<string> = new Set();
const TABLE = new Set(['table']);
const CELLS = new Set(['table', 'caption', 'td', 'th', 'template']);
const LISTS = new Set([...CELLS, 'ul', 'ol', 'menu', 'dir']);
const PARTS = new Set(['table', 'thead', 'tbody', 'tfoot']);
const ROWS = new Set([...PARTS, 'tr']);
/** A new list item closes the open item if only these elements are open within the open item. */
const PASSED = new Set(['address', 'div', 'p']);
const TERMS = new Set(['dd', 'dt']);
const ITEMS = new Set(['li']);
const OF_TABLES = new Set(['table', 'caption', 'colgroup', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th']);

/** @param inner where the content ends @param end where the closing tag ends; `inner` if there is none */
type Leave = (element: Element, inner: number, end: number) => void;

export class OpenElements {
  readonly #open: Element[] = [];
  readonly #onLeave: Leave;

  /** @param onLeave called for each element that ends, innermost first */
  constructor(onLeave: Leave) {
    this.#onLeave = onLeave;
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

  /** Leaves the element that a closing tag `[start, end)` closes, with everything in it. */
  close({ name, level }: Block, start: number, end: number): void {
    const index = this.#closedBy(name, level > 0);
    if (index === -1) return;
    this.#leaveTo(index + 1, start);
    this.#leaveTo(index, start, end);
  }

  /** The index of the open element that a closing tag closes; -1 if the tag has no effect. */
  #closedBy(name: string, isHeading: boolean): number {
    const bounds = boundsOf(name);
    for (let index = this.depth - 1; index >= this.#least; index--) {
      const open = this.#blockAt(index);
      if (open.name === name || (isHeading && open.level > 0)) return index;
      if (bounds.has(open.name)) break;
    }
    return -1;
  }

  closeAll(end: number): void {
    this.#leaveTo(0, end);
  }

  #leaveNearest(names: ReadonlySet<string>, start: number): void {
    const index = this.#innermostIn(PASSED, false);
    if (index !== -1 && names.has(this.#blockAt(index).name)) this.#leaveTo(index, start);
  }

  #leaveWithin(bounds: ReadonlySet<string>, start: number): void {
    const index = this.#innermostIn(bounds, true);
    if (index !== -1) this.#leaveTo(index + 1, start);
  }

  /** Index of the innermost open element whose name is in a set (or is not, without `isIn`); -1 if none is near. */
  #innermostIn(names: ReadonlySet<string>, isIn: boolean): number {
    for (let index = this.depth - 1; index >= this.#least; index--)
      if (names.has(this.#blockAt(index).name) === isIn) return index;
    return -1;
  }

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
    while (this.#open.length > depth) this.#onLeave(this.#open.pop() as Element, inner, end);
  }
}

function boundsOf(name: string): ReadonlySet<string> {
  if (OF_TABLES.has(name)) return name === 'table' ? NONE : TABLE;
  return name === 'li' ? LISTS : CELLS;
}
