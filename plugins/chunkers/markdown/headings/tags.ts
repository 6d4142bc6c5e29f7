import { matchEnd } from '../../../../core/kit.ts';

const AUTOLINK =
  /<([a-z][a-z\d+.-]{1,31}:(?!:)[^\s<>\p{Cc}]*|[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*)>/iuy;
const CLOSING = /<\/([a-z][a-z\d.-]*)\s*>/iy;
const OPENING = /<[a-z][a-z\d.-]*/iy;
/** An attribute of HTML or of a component: `@click`, `#slot`, `a={b}`, `{...c}`. */
const ATTRIBUTE =
  /\s+(?:[a-z_:@#][\w.:@-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|[^\s"'=<>`]+))?|\{[^{}]*\})/iy;
const END = /\s*(\/?)>/y;

const VERBATIM: readonly (readonly [opening: string, closing: string])[] = [
  ['<!--', '-->'],
  ['<?', '?>'],
  ['<![CDATA[', ']]>'],
];
const DECLARATION = /<![a-z]/iy;

interface Tag {
  readonly end: number;
  readonly text: string;
}

export class Tags {
  readonly #source: string;
  /** Closing marks that do not occur in the rest of the text. */
  readonly #unclosed = new Set<string>();
  #closing: Map<string, number> | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  read(at: number): Tag {
    const source = this.#source;
    AUTOLINK.lastIndex = at;
    const link = AUTOLINK.exec(source);
    if (link !== null) return { end: AUTOLINK.lastIndex, text: link[1] as string };
    const end = this.#verbatimEnd(at);
    if (end !== -1) return { end, text: '' };
    const closing = matchEnd(CLOSING, source, at);
    return closing === -1 ? this.#readOpening(at) : { end: closing, text: '' };
  }

  #verbatimEnd(at: number): number {
    const source = this.#source;
    if (source.startsWith('<!-->', at)) return at + '<!-->'.length;
    if (source.startsWith('<!--->', at)) return at + '<!--->'.length;
    for (const [opening, closing] of VERBATIM)
      if (source.startsWith(opening, at)) return this.#after(closing, at + opening.length);
    return matchEnd(DECLARATION, source, at) === -1 ? -1 : this.#after('>', at + 2);
  }

  #after(closing: string, from: number): number {
    const at = this.#unclosed.has(closing) ? -1 : this.#source.indexOf(closing, from);
    if (at !== -1) return at + closing.length;
    this.#unclosed.add(closing);
    return -1;
  }

  #readOpening(start: number): Tag {
    const source = this.#source;
    const nameEnd = matchEnd(OPENING, source, start);
    if (nameEnd === -1) return { end: start + 1, text: '<' };
    let at = nameEnd;
    for (let next = at; next !== -1; next = matchEnd(ATTRIBUTE, source, at)) at = next;
    const end = matchEnd(END, source, at);
    if (end === -1) return { end: start + 1, text: '<' };
    const name = source.slice(start + 1, nameEnd);
    const isPlain = source[end - 2] !== '/' && !source.slice(nameEnd, end).includes('=');
    const isAlone = isPlain && (this.#closingOf(name) ?? -1) < end;
    if (isAlone && !isElement(name)) return { end, text: source.slice(start, end) };
    return { end, text: BREAKS.has(name.toLowerCase()) ? ' ' : '' };
  }

  #closingOf(name: string): number | undefined {
    if (this.#closing === undefined) {
      this.#closing = new Map();
      for (const { index, 1: closed = '' } of this.#source.matchAll(CLOSING_NAME))
        this.#closing.set(closed, index);
    }
    return this.#closing.get(name);
  }
}

const CLOSING_NAME = /<\/([a-z][a-z\d.-]*)/gi;
const BREAKS: ReadonlySet<string> = new Set(['br', 'hr']);

/** Elements of HTML. Other tags without attributes are types, as in `Box<dyn Error>`, or placeholders. */
const ELEMENTS: ReadonlySet<string> = new Set(
  `a abbr acronym address area article aside audio b base bdi bdo big blink blockquote body br button canvas caption
  center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption
  figure font footer form frame frameset g h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd
  label legend li link main map mark marquee math menu meta meter nav nobr noscript object ol optgroup option output p
  param picture pre progress q rp rt ruby s samp script search section select slot small source span strike strong
  style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video
  wbr`.split(/\s+/),
);

function isElement(name: string): boolean {
  const isUpper = name.length > 1 && name === name.toUpperCase();
  return name.includes('-') || ELEMENTS.has(isUpper ? name.toLowerCase() : name);
}
