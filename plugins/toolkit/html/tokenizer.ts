import type { DefaultTreeAdapterTypes, Token, Tokenizer } from 'parse5';
import { scriptEnd } from '../markup/markup-reader.ts';

type Parse5 = typeof import('parse5');
type Parser = InstanceType<typeof import('parse5').Parser<DefaultTreeAdapterTypes.DefaultTreeAdapterMap>>;
type Decode = (text: string) => string;

/** Functions of the package entities. */
export interface Entities {
  readonly decodeHTML: Decode;
  readonly decodeHTMLAttribute: Decode;
}

/** What the tokenizer needs of packages. */
type Packages = Pick<Parse5, 'Token' | 'Tokenizer' | 'TokenizerMode' | 'html'> & Entities;

/** A name of a tag or attribute in lower case. Names that a page uses are kept once. */
interface Name {
  readonly written: string;
  readonly name: string;
  readonly id: Token.TagToken['tagID'];
  readonly isWanted: boolean;
}

/** Attributes that the construction of a tree needs. */
const FOR_TREES = new Set(['type', 'encoding', 'color', 'face', 'size']);
/** Slots for names, by a hash: a power of two. */
const SLOTS = 1024;

const TAB = 9;
const NEWLINE = 10;
const FORM_FEED = 12;
const RETURN = 13;
const SPACE = 32;
const BANG = 33;
const DOUBLE = 34;
const SINGLE = 39;
const SLASH = 47;
const EQUAL = 61;
const GREATER = 62;
const QUESTION = 63;

/**
 * Reads the tags and text of a page for a parser of parse5, in place of the parser's own tokenizer, which looks at
 * each character. The parser still builds the tree, by the rules of the HTML standard.
 *
 * Texts arrive in longer stretches, and comments without their text. Spaces within text that a set of frames drops are
 * dropped too. The page must not contain NUL.
 */
export class PageTokenizer implements Pick<Tokenizer, 'state' | 'inForeignNode'> {
  /** The parser sets both members. */
  state: Tokenizer['state'];
  inForeignNode = false;
  readonly #source: string;
  readonly #parser: Parser;
  readonly #packages: Packages;
  readonly #isWanted: (attribute: string) => boolean;
  readonly #slots: (Name | undefined)[] = new Array<Name | undefined>(SLOTS).fill(undefined);
  readonly #hasBangEnds: boolean;
  #at = 0;
  #lastName = '';

  /** @param isWanted whether to keep an attribute */
  constructor(source: string, parser: Parser, packages: Packages, isWanted: (attribute: string) => boolean) {
    this.#source = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source;
    this.#parser = parser;
    this.#packages = packages;
    this.#isWanted = (attribute) => isWanted(attribute) || FOR_TREES.has(attribute);
    this.#hasBangEnds = source.includes('--!>');
    this.state = packages.TokenizerMode.DATA;
  }

  /** Reads further characters, at least `count` unless the page ends. @returns whether more are left */
  read(count: number): boolean {
    const stop = Math.min(this.#at + count, this.#source.length);
    const { DATA } = this.#packages.TokenizerMode;
    while (this.#at < stop) {
      if (this.state === DATA) this.#readData();
      else this.#readRaw();
    }
    if (this.#at < this.#source.length) return true;
    this.#parser.onEof({ type: this.#packages.Token.TokenType.EOF, location: null });
    return false;
  }

  /** Reads text up to the next markup, and the markup. */
  #readData(): void {
    const source = this.#source;
    for (let tag = source.indexOf('<', this.#at); tag !== -1; tag = source.indexOf('<', tag + 1)) {
      const next = source.charCodeAt(tag + 1);
      const isClosing = next === SLASH;
      const sign = isClosing ? source.charCodeAt(tag + 2) : next;
      const isTag = isLetter(sign);
      if (!isTag && next !== BANG && next !== QUESTION && (!isClosing || tag + 2 >= source.length)) continue;
      this.#text(this.#at, tag, true);
      if (isTag) this.#readTag(tag, isClosing);
      else if (isClosing && sign === GREATER) this.#at = tag + '</>'.length;
      else this.#readMarkup(tag);
      return;
    }
    this.#text(this.#at, source.length, true);
    this.#at = source.length;
  }

  /** Reads the text of an element in which tags are text, and the closing tag of the element. */
  #readRaw(): void {
    const source = this.#source;
    const { DATA, PLAINTEXT, RCDATA, SCRIPT_DATA } = this.#packages.TokenizerMode;
    const start = this.#at;
    let end = source.length;
    if (this.state === SCRIPT_DATA) end = scriptEnd(source, start);
    else if (this.state !== PLAINTEXT) end = closingTag(source, this.#lastName, start);
    this.#text(start, end, this.state === RCDATA);
    this.#at = end;
    if (end === source.length) return;
    this.state = DATA;
    this.#readTag(end, true);
  }

  #text(start: number, end: number, isDecoded: boolean): void {
    if (start === end) return;
    const written = this.#source.slice(start, end);
    const chars = isDecoded && written.includes('&') ? this.#packages.decodeHTML(written) : written;
    const { TokenType } = this.#packages.Token;
    let spaces = 0;
    while (isSpace(chars.charCodeAt(spaces))) spaces++;
    if (spaces > 0)
      this.#parser.onWhitespaceCharacter({
        type: TokenType.WHITESPACE_CHARACTER,
        chars: chars.slice(0, spaces),
        location: null,
      });
    if (spaces < chars.length)
      this.#parser.onCharacter({ type: TokenType.CHARACTER, chars: chars.slice(spaces), location: null });
  }

  #readTag(tag: number, isClosing: boolean): void {
    const source = this.#source;
    const { name, id } = this.#nameAt(tag + (isClosing ? 2 : 1), true);
    const attrs: Token.Attribute[] = [];
    let selfClosing = false;
    for (;;) {
      while (isSpace(source.charCodeAt(this.#at))) this.#at++;
      const sign = source.charCodeAt(this.#at);
      if (sign === GREATER) break;
      // The standard drops a tag that the end of the page cuts off.
      if (this.#at >= source.length) return;
      selfClosing = sign === SLASH && source.charCodeAt(this.#at + 1) === GREATER;
      if (sign === SLASH) this.#at++;
      else this.#readAttribute(attrs);
    }
    this.#at++;
    const { TokenType } = this.#packages.Token;
    const token: Token.TagToken = {
      type: isClosing ? TokenType.END_TAG : TokenType.START_TAG,
      tagName: name,
      tagID: id,
      selfClosing,
      ackSelfClosing: false,
      attrs,
      location: null,
    };
    if (!isClosing) this.#lastName = name;
    if (isClosing) this.#parser.onEndTag(token);
    else this.#parser.onStartTag(token);
  }

  #readAttribute(attrs: Token.Attribute[]): void {
    const source = this.#source;
    const { name, isWanted } = this.#nameAt(this.#at, false);
    let at = this.#at;
    while (isSpace(source.charCodeAt(at))) at++;
    let [start, end] = [at, at];
    if (source.charCodeAt(at) === EQUAL) {
      at++;
      while (isSpace(source.charCodeAt(at))) at++;
      const quote = source.charCodeAt(at);
      start = at;
      if (quote === DOUBLE || quote === SINGLE) {
        start++;
        end = source.indexOf(quote === DOUBLE ? '"' : "'", start);
        if (end === -1) end = source.length;
        at = end + 1;
      } else {
        while (at < source.length && source.charCodeAt(at) !== GREATER && !isSpace(source.charCodeAt(at)))
          at++;
        end = at;
      }
      this.#at = at;
    }
    if (!isWanted || attrs.some((attribute) => attribute.name === name)) return;
    const written = source.slice(start, end);
    const value = written.includes('&') ? this.#packages.decodeHTMLAttribute(written) : written;
    attrs.push({ name, value });
  }

  /** Reads a name, which may begin with any sign. Names of attributes end at an equals sign. */
  #nameAt(start: number, isTag: boolean): Name {
    const source = this.#source;
    let at = start;
    let hash = 0;
    let unit = source.charCodeAt(at);
    do {
      hash = (hash * 31 + unit) & 0xffffff;
      unit = source.charCodeAt(++at);
    } while (at < source.length && !endsName(unit) && (isTag || unit !== EQUAL));
    this.#at = at;
    const slot = (hash ^ (hash >> 10)) & (SLOTS - 1);
    const known = this.#slots[slot];
    if (known !== undefined && known.written.length === at - start && source.startsWith(known.written, start))
      return known;
    const written = source.slice(start, at);
    const name = written.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
    const id = this.#packages.html.getTagID(name);
    const found = { written, name, id, isWanted: this.#isWanted(name) };
    this.#slots[slot] = found;
    return found;
  }

  /** Reads a comment, a document type or a section of CDATA. All other markup is a comment too. */
  #readMarkup(tag: number): void {
    const source = this.#source;
    if (source.startsWith('<!--', tag)) this.#at = this.#commentEnd(tag);
    else if (this.inForeignNode && source.startsWith(CDATA, tag)) {
      const end = indexOrEnd(source, ']]>', tag + CDATA.length);
      this.#text(tag + CDATA.length, end, false);
      this.#at = Math.min(end + ']]>'.length, source.length);
      return;
    } else {
      this.#at = Math.min(indexOrEnd(source, '>', tag + 2) + 1, source.length);
      if (/^<!doctype$/i.test(source.slice(tag, tag + '<!doctype'.length))) {
        this.#documentType(source.slice(tag, this.#at));
        return;
      }
    }
    this.#parser.onComment({ type: this.#packages.Token.TokenType.COMMENT, data: '', location: null });
  }

  #commentEnd(tag: number): number {
    const source = this.#source;
    const end = source.indexOf('-->', tag + 2);
    const bang = this.#hasBangEnds ? source.indexOf('--!>', tag + '<!--'.length) : -1;
    if (bang !== -1 && (end === -1 || bang < end)) return bang + '--!>'.length;
    return end === -1 ? source.length : end + '-->'.length;
  }

  /** Has parse5 read a document type, which is rare and has many forms. */
  #documentType(written: string): void {
    const parser = this.#parser;
    const none = (): void => undefined;
    const tokenizer = new this.#packages.Tokenizer(
      { sourceCodeLocationInfo: false },
      {
        onDoctype: (token) => parser.onDoctype(token),
        onComment: none,
        onStartTag: none,
        onEndTag: none,
        onEof: none,
        onCharacter: none,
        onNullCharacter: none,
        onWhitespaceCharacter: none,
      },
    );
    tokenizer.write(written, true);
  }
}

const CDATA = '<![CDATA[';

function indexOrEnd(source: string, sign: string, from: number): number {
  const index = source.indexOf(sign, from);
  return index === -1 ? source.length : index;
}

const closers = new Map<string, RegExp>();

function closingTag(source: string, name: string, start: number): number {
  const closer = closers.get(name) ?? new RegExp(`</${name}(?=[\\t\\n\\f />])`, 'gi');
  closers.set(name, closer);
  closer.lastIndex = start;
  return closer.exec(source)?.index ?? source.length;
}

function isLetter(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90);
}

function endsName(unit: number): boolean {
  return unit === GREATER || unit === SLASH || isSpace(unit);
}

function isSpace(unit: number): boolean {
  return unit === SPACE || unit === NEWLINE || unit === TAB || unit === RETURN || unit === FORM_FEED;
}
