/**
 * The kinds of content, and the block elements of each; among kinds that begin at the same place, the first is listed
 * first.
 */
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

/** A block element: the text can be cut between these. */
export interface Block {
  readonly name: string;
  readonly kind: Kind | undefined;
  /** Headings: 1 to 6; others: 0. */
  readonly level: number;
  readonly closes: Closes;
  /** Whether it has no content and no closing tag. */
  readonly isVoid: boolean;
  /** Whether headings in it are below those around it, and do not extend beyond it. */
  readonly isScope: boolean;
  /** Whether a heading in it introduces nothing after it. */
  readonly isItem: boolean;
  /** Whether it counts as content even if it is empty. */
  readonly isShown: boolean;
}

/** Names of elements by which open ones their opening tags close, if those' own closing tags are omitted. */
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
  KINDS.flatMap((kind) => words(NAMES_BY_KIND[kind]).map((name) => [name, kind])),
);

const VOID = new Set(['base', 'hr', 'link', 'meta']);
const SCOPES = new Set(words('article aside details dialog fieldset figure nav section td th'));

const SHOWN = new Set(['script', 'style', 'title']);

/** The block elements by name; all others are inline. */
export const BLOCKS: ReadonlyMap<string, Block> = new Map(
  Object.entries(NAMES_BY_CLOSES).flatMap(([closes, names]) =>
    words(names).map((name) => [name, blockOf(name, closes as Closes)]),
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

function words(text: string): string[] {
  return text.match(/\S+/g) ?? [];
}

/** Inline elements without content, and so without a closing tag. */
export const VOID_INLINE: ReadonlySet<string> = new Set(
  words('area br col embed img input param source track wbr'),
);

/** Inline elements that display something without text. */
export const SHOWN_INLINE: ReadonlySet<string> = new Set(
  words(
    `area audio br button canvas embed iframe img input math meter object param progress source svg textarea track video wbr`,
  ),
);
