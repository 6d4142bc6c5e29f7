import { keepOptimised } from '../../../core/engine/keep-optimised.ts';

/**
 * Reads the tags and comments of HTML in one pass, as the tokenizer of the HTML standard does. If a tag is not
 * closed, it and all following text are ordinary text.
 */
export class MarkupReader {
  readonly #text: string;
  #next = 0;
  /** Number of open `svg` and `math` elements. Elements in these have no raw text, and CDATA is recognised there. */
  #foreign = 0;
  /** `[start, end)` of the current tag or comment. */
  start = 0;
  end = 0;
  /** The tag name in lower case, at most 40 letters; empty for comments and declarations. */
  name = '';
  isClosing = false;
  isForeign = false;
  /** End of the raw text that follows the tag; end of the tag if its element has no raw text. */
  rawEnd = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Moves to the next tag or comment. @returns false if there is none */
  read(): boolean {
    const text = this.#text;
    for (let at = text.indexOf('<', this.#next); at !== -1; at = text.indexOf('<', at + 1)) {
      const unit = text.charCodeAt(at + 1);
      if (isLetter(unit)) return this.#readTag(at, at + 1);
      if (unit === SLASH && isLetter(text.charCodeAt(at + 2))) return this.#readTag(at, at + 2);
      if (unit === BANG || unit === QUESTION || unit === SLASH) return this.#readComment(at);
    }
    return false;
  }

  #readTag(start: number, nameStart: number): boolean {
    const text = this.#text;
    let nameEnd = nameStart + 1;
    while (nameEnd < text.length && !endsName(text.charCodeAt(nameEnd))) nameEnd++;
    const end = tagEnd(text, nameEnd);
    if (end === -1) return false;
    this.start = start;
    this.end = end;
    this.isClosing = nameStart > start + 1;
    this.name = text.slice(nameStart, Math.min(nameEnd, nameStart + MAX_NAME_LENGTH)).toLowerCase();
    this.isForeign = this.#followForeign();
    const isRaw = !this.isClosing && !this.isForeign;
    this.rawEnd = isRaw ? rawEnd(text, this.name, end) : end;
    this.#next = this.rawEnd;
    return true;
  }

  #followForeign(): boolean {
    const { name, isClosing } = this;
    if (name === 'svg' || name === 'math') {
      if (isClosing) this.#foreign = Math.max(this.#foreign - 1, 0);
      else if (this.#text.charCodeAt(this.end - 2) !== SLASH) this.#foreign++;
      return false;
    }
    if (this.#foreign > 0 && !isClosing && LEAVES_FOREIGN.has(name)) this.#foreign = 0;
    return this.#foreign > 0;
  }

  #readComment(start: number): boolean {
    this.start = start;
    this.end = commentEnd(this.#text, start, this.#foreign > 0);
    this.name = '';
    this.isClosing = false;
    this.isForeign = false;
    this.rawEnd = this.end;
    this.#next = this.end;
    return true;
  }
}

keepOptimised(new MarkupReader(''));

const MAX_NAME_LENGTH = 40;

const LEAVES_FOREIGN = new Set(
  `b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol
  p pre ruby s small span strong strike sub sup table tt u ul var`.split(/\s+/),
);

const GREATER = 62;
const SLASH = 47;
const EQUAL = 61;
const BANG = 33;
const QUESTION = 63;
const DOUBLE = 34;
const SINGLE = 39;

function tagEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === GREATER) return at + 1;
    if (unit === SLASH || isSpace(unit)) at++;
    else at = attributeEnd(text, at);
  }
  return -1;
}

function attributeEnd(text: string, start: number): number {
  // An equals sign at the start belongs to the name of the attribute.
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== EQUAL && !endsName(text.charCodeAt(at))) at++;
  const nameEnd = at;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  if (text.charCodeAt(at) !== EQUAL) return nameEnd;
  at++;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  const quote = text.charCodeAt(at);
  if (quote === DOUBLE || quote === SINGLE) {
    const close = text.indexOf(quote === DOUBLE ? '"' : "'", at + 1);
    return close === -1 ? text.length : close + 1;
  }
  while (at < text.length && text.charCodeAt(at) !== GREATER && !isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** The end of a comment, declaration, instruction or nameless closing tag. The standard treats all as comments. */
function commentEnd(text: string, start: number, isForeign: boolean): number {
  if (text.startsWith('<!--', start)) {
    const close = COMMENT_END;
    // `<!-->` and `<!--->` are complete comments; `<!--!>` is not.
    close.lastIndex = start + (text.charCodeAt(start + 4) === BANG ? 4 : 2);
    return close.test(text) ? close.lastIndex : text.length;
  }
  const close = isForeign && text.startsWith('<![CDATA[', start) ? ']]>' : '>';
  const end = text.indexOf(close, start + 2);
  return end === -1 ? text.length : end + close.length;
}

const COMMENT_END = /--!?>/g;

function isLetter(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90);
}

function endsName(unit: number): boolean {
  return unit === GREATER || unit === SLASH || isSpace(unit);
}

function isSpace(unit: number): boolean {
  return unit === 32 || (unit >= 9 && unit <= 13 && unit !== 11);
}

const RAW = new Map(
  ['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes'].map((name) => [
    name,
    new RegExp(`</${name}(?=[\\s/>])`, 'gi'),
  ]),
);

/**
 * The end of the raw text after an opening tag: the start of the closing tag, otherwise the end of the text. `start`
 * if the element has no raw text.
 */
function rawEnd(text: string, name: string, start: number): number {
  if (name === 'plaintext') return text.length;
  const close = RAW.get(name);
  if (close === undefined) return start;
  if (name === 'script') return scriptEnd(text, start);
  close.lastIndex = start;
  return close.exec(text)?.index ?? text.length;
}

const SCRIPT_MARKS = /<!--|-->|<(\/?)script(?=[\s/>])/gi;

/** The end of a script. Between `<!--` and `-->`, a closing tag may close an inner script instead. */
export function scriptEnd(text: string, start: number): number {
  const marks = SCRIPT_MARKS;
  marks.lastIndex = start;
  let isComment = false;
  let isNested = false;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const [whole, slash] = mark;
    if (whole === '<!--') {
      isComment = true;
      marks.lastIndex -= 2;
    } else if (slash === undefined) {
      isComment = false;
      isNested = false;
    } else if (slash === '') isNested ||= isComment;
    else if (isNested) isNested = false;
    else return mark.index;
  }
  return text.length;
}
