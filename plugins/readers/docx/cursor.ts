import { refusedError } from '../../../core/kit.ts';
import { decodeReferences } from '../../toolkit/markup/index.ts';

/** Prefixes that Word uses, by the namespaces of the transitional and the strict format. */
const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['http://schemas.openxmlformats.org/wordprocessingml/2006/main', 'w'],
  ['http://purl.oclc.org/ooxml/wordprocessingml/main', 'w'],
  ['http://schemas.openxmlformats.org/officeDocument/2006/math', 'm'],
  ['http://purl.oclc.org/ooxml/officeDocument/math', 'm'],
  ['http://schemas.openxmlformats.org/markup-compatibility/2006', 'mc'],
  ['http://schemas.microsoft.com/office/word/2010/wordml', 'w14'],
]);
const NAMESPACE = /\sxmlns(?::([^\s=]+))?\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** A name as the document writes it and as Word writes it. Names that the document uses are kept once. */
interface Name {
  readonly written: string;
  readonly name: string;
}

const MAX_DEPTH = 256;
/** Slots for names, by a hash: a power of two. */
const SLOTS = 1024;

const TAB = 9;
const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const BANG = 33;
const DOUBLE = 34;
const SINGLE = 39;
const SLASH = 47;
const COLON = 58;
const LESS = 60;
const EQUAL = 61;
const GREATER = 62;
const QUESTION = 63;

/** Other ends of lines than a newline, which are read as one. */
const LINE_END = /\r[\n\u0085]?|[\u0085\u2028]/;
const LINE_ENDS = new RegExp(LINE_END, 'g');
const CDATA = '<![CDATA[';

/** The state of a cursor, to return to. */
export interface Bookmark {
  readonly at: number;
  readonly depth: number;
  readonly element: Name | undefined;
  readonly isEmpty: boolean;
}

/**
 * Moves through the elements of a part of a Word document, once and forwards. Content that is not asked for is
 * skipped without making strings of it. The names of elements have the prefixes that Word writes: `w:p`.
 *
 * Each method throws an error for callers if the XML is damaged, declares anything, or is nested too deeply.
 */
export class XmlCursor {
  readonly #xml: string;
  readonly #hasLineEnds: boolean;
  readonly #slots: (Name | undefined)[] = new Array<Name | undefined>(SLOTS).fill(undefined);
  readonly #open: Name[] = [];
  #prefixes: ReadonlyMap<string, string> = new Map();
  #at = 0;
  #nameEnd = 0;
  #isEmpty = false;
  /** The number of open elements, with the current one. */
  depth = 0;
  /** The name of the current element. */
  name = '';
  /** The start of the current element. */
  start = 0;

  constructor(xml: string) {
    this.#xml = xml;
    this.#hasLineEnds = LINE_END.test(xml);
  }

  /**
   * Moves to the next child of the element that was current when `depth` was `parent`, past all that has not been
   * read of the previous child.
   *
   * @returns false at the end of the element
   */
  next(parent: number): boolean {
    for (;;) {
      if (this.#isEmpty) {
        this.#isEmpty = false;
        this.depth--;
      } else if (this.#readTag()) {
        if (this.depth === parent + 1) return true;
        continue;
      }
      if (this.depth < parent || this.depth === 0) return false;
    }
  }

  /** Moves past the current element. @returns the XML of its content */
  skip(): string {
    const start = this.#at;
    if (this.#isEmpty) return '';
    const { depth } = this;
    while (this.next(depth));
    return this.#xml.slice(start, this.#xml.lastIndexOf('<', this.#at - 1));
  }

  mark(): Bookmark {
    const { depth } = this;
    return { at: this.#at, depth, element: this.#open[depth - 1], isEmpty: this.#isEmpty };
  }

  /** Returns to the element that was current when the mark was made. Its parent must still be open. */
  return({ at, depth, element, isEmpty }: Bookmark): void {
    if (element !== undefined) this.#open[depth - 1] = element;
    this.#at = at;
    this.depth = depth;
    this.#isEmpty = isEmpty;
  }

  /** The text at the start of the current element, up to its first child. */
  text(): string {
    if (this.#isEmpty) return '';
    const xml = this.#xml;
    let text = '';
    for (;;) {
      const tag = this.#find('<', this.#at);
      text += xml.slice(this.#at, tag);
      const sign = xml.charCodeAt(tag + 1);
      this.#at = tag;
      if (sign !== BANG && sign !== QUESTION)
        return decodeReferences(this.#hasLineEnds ? text.replace(LINE_ENDS, '\n') : text);
      this.#skipMarkup(tag);
      if (xml.startsWith(CDATA, tag)) {
        const section = xml.slice(tag + CDATA.length, this.#at - ']]>'.length);
        text += section.replaceAll('&', '&amp;');
      }
    }
  }

  /** An attribute of the current element by its local name: `val` finds `w:val`. */
  attribute(name: string): string | undefined {
    const xml = this.#xml;
    let at = this.#nameEnd;
    for (;;) {
      while (isSpace(xml.charCodeAt(at))) at++;
      let start = at;
      let sign = xml.charCodeAt(at);
      while (sign !== EQUAL && sign !== GREATER && sign !== SLASH && !isSpace(sign)) {
        if (sign === COLON) start = at + 1;
        sign = xml.charCodeAt(++at);
      }
      const end = at;
      while (isSpace(xml.charCodeAt(at))) at++;
      if (xml.charCodeAt(at) !== EQUAL) return undefined;
      at++;
      while (isSpace(xml.charCodeAt(at))) at++;
      const quote = xml.charCodeAt(at);
      if (quote !== DOUBLE && quote !== SINGLE) throw damaged();
      const close = this.#find(quote === DOUBLE ? '"' : "'", at + 1);
      if (end - start === name.length && xml.startsWith(name, start))
        return decodeReferences(xml.slice(at + 1, close));
      at = close + 1;
    }
  }

  /** Reads the next tag. @returns whether it opens an element */
  #readTag(): boolean {
    const xml = this.#xml;
    for (;;) {
      const tag = xml.indexOf('<', this.#at);
      if (tag === -1) throw damaged();
      const sign = xml.charCodeAt(tag + 1);
      if (sign === SLASH) {
        this.#close(tag);
        return false;
      }
      if (sign !== BANG && sign !== QUESTION) {
        this.#openTag(tag);
        return true;
      }
      this.#skipMarkup(tag);
    }
  }

  #openTag(tag: number): void {
    const xml = this.#xml;
    let at = tag + 1;
    let hash = 0;
    let unit = xml.charCodeAt(at);
    while (unit > SPACE && unit !== GREATER && unit !== SLASH) {
      hash = (hash * 31 + unit) & 0xffffff;
      unit = xml.charCodeAt(++at);
    }
    this.#nameEnd = at;
    while (unit !== GREATER) {
      if (unit === DOUBLE || unit === SINGLE) at = this.#find(unit === DOUBLE ? '"' : "'", at + 1);
      else if (unit === LESS || at >= xml.length) throw damaged();
      unit = xml.charCodeAt(++at);
    }
    this.#isEmpty = xml.charCodeAt(at - 1) === SLASH;
    if (this.depth === 0) this.#prefixes = prefixesIn(xml.slice(tag, at));
    const name = this.#nameAt(tag + 1, hash);
    if (this.depth === MAX_DEPTH)
      throw refusedError('The document cannot be read: its elements are nested too deeply.');
    this.#open[this.depth++] = name;
    this.name = name.name;
    this.start = tag;
    this.#at = at + 1;
  }

  #nameAt(start: number, hash: number): Name {
    const xml = this.#xml;
    const length = this.#nameEnd - start;
    const slot = (hash ^ (hash >> 10)) & (SLOTS - 1);
    const known = this.#slots[slot];
    if (known !== undefined && known.written.length === length && isAt(xml, known.written, start))
      return known;
    if (length === 0) throw damaged();
    const written = xml.slice(start, this.#nameEnd);
    const colon = written.indexOf(':');
    const prefix = this.#prefixes.get(colon === -1 ? '' : written.slice(0, colon));
    const name = { written, name: prefix === undefined ? written : `${prefix}:${written.slice(colon + 1)}` };
    this.#slots[slot] = name;
    return name;
  }

  #close(tag: number): void {
    const xml = this.#xml;
    const written = this.#open[this.depth - 1]?.written ?? '';
    let end = tag + 2 + written.length;
    while (isSpace(xml.charCodeAt(end))) end++;
    if (this.depth === 0 || xml.charCodeAt(end) !== GREATER || !isAt(xml, written, tag + 2)) throw damaged();
    this.depth--;
    this.#at = end + 1;
  }

  /** Moves past an instruction, a comment or a CDATA section. */
  #skipMarkup(tag: number): void {
    const xml = this.#xml;
    const isComment = xml.startsWith('<!--', tag);
    const isInstruction = xml.charCodeAt(tag + 1) === QUESTION;
    if (!isComment && !isInstruction && !xml.startsWith(CDATA, tag)) throw damaged();
    const end = isComment ? '-->' : isInstruction ? '?>' : ']]>';
    this.#at = this.#find(end, tag + (isComment ? '<!--'.length : 2)) + end.length;
  }

  #find(sign: string, from: number): number {
    const index = this.#xml.indexOf(sign, from);
    if (index === -1) throw damaged();
    return index;
  }
}

function isAt(xml: string, written: string, start: number): boolean {
  for (let at = 0; at < written.length; at++)
    if (xml.charCodeAt(start + at) !== written.charCodeAt(at)) return false;
  return true;
}

function isSpace(unit: number): boolean {
  return unit === SPACE || unit === NEWLINE || unit === TAB || unit === RETURN;
}

/** The prefixes of Word by those that a document declares at its root. */
function prefixesIn(tag: string): ReadonlyMap<string, string> {
  const prefixes = new Map<string, string>();
  for (const [, prefix = '', double, single] of tag.matchAll(NAMESPACE)) {
    const known = PREFIXES.get(double ?? single ?? '');
    if (known !== undefined) prefixes.set(prefix, known);
  }
  return prefixes;
}

function damaged(): Error {
  return refusedError('The document cannot be read: its XML is damaged.');
}
