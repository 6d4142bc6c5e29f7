import { keepOptimised } from '../../../../core/kit.ts';

export const OPENING = 0;
export const CLOSING = 1;
/** An opening tag that is a whole element. */
export const EMPTY = 2;
export const COMMENT = 3;
export const CDATA = 4;
/** A processing instruction, the XML declaration, or a declaration such as a document type. */
export const INSTRUCTION = 5;

export type MarkupKind =
  | typeof OPENING
  | typeof CLOSING
  | typeof EMPTY
  | typeof COMMENT
  | typeof CDATA
  | typeof INSTRUCTION;

export const CDATA_START = '<![CDATA[';
export const CDATA_END = ']]>';

const SLASH = 47;
const LESS = 60;
const GREATER = 62;
const BANG = 33;
const QUESTION = 63;
const DOUBLE = 34;
const SINGLE = 39;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const NOWHERE = -1;
/** A declaration with brackets that another `<` breaks off. */
const BROKEN_OFF = -2;

/**
 * Reads the markup of XML in one pass; everything between is text. A `<` that begins no markup, and markup without an
 * end, are text, too.
 */
export class XmlReader {
  readonly #text: string;
  #next = 0;
  /** Ends of markup that the rest of the text lacks. */
  readonly #missing = new Set<string>();
  kind: MarkupKind = INSTRUCTION;
  /** `[start, end)` of the last markup. */
  start = 0;
  end = 0;
  /** The name of a tag, with its prefix. */
  name = '';

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads the next markup; false if there is none. */
  read(): boolean {
    const text = this.#text;
    for (let at = text.indexOf('<', this.#next); at !== -1; at = text.indexOf('<', at + 1)) {
      const end = this.#readAt(at);
      if (end === NOWHERE) continue;
      this.start = at;
      this.end = end;
      this.#next = end;
      return true;
    }
    this.#next = text.length;
    return false;
  }

  /** Where the markup that begins with the `<` at an offset ends; `NOWHERE` if none does. */
  #readAt(at: number): number {
    const text = this.#text;
    const unit = text.charCodeAt(at + 1);
    if (unit === BANG) return this.#readDeclaration(at);
    if (unit === QUESTION) {
      this.kind = INSTRUCTION;
      return this.#after('?>', at + 2);
    }
    const isClosing = unit === SLASH;
    const nameStart = isClosing ? at + 2 : at + 1;
    if (!beginsName(text.charCodeAt(nameStart))) return NOWHERE;
    let nameEnd = nameStart + 1;
    while (nameEnd < text.length && !endsName(text.charCodeAt(nameEnd))) nameEnd++;
    const end = tagEnd(text, nameEnd);
    if (end === NOWHERE) return NOWHERE;
    this.name = text.slice(nameStart, nameEnd);
    this.kind = isClosing ? CLOSING : text.charCodeAt(end - 2) === SLASH ? EMPTY : OPENING;
    return end;
  }

  #readDeclaration(at: number): number {
    const text = this.#text;
    if (text.startsWith('<!--', at)) {
      this.kind = COMMENT;
      return this.#after('-->', at + 4);
    }
    if (text.startsWith(CDATA_START, at)) {
      this.kind = CDATA;
      return this.#after(CDATA_END, at + CDATA_START.length);
    }
    this.kind = INSTRUCTION;
    return beginsName(text.charCodeAt(at + 2)) ? this.#afterDeclaration(at + 2) : NOWHERE;
  }

  /** After a declaration with its quotes and brackets. Once a declaration lacks its end, others end at the next `>`. */
  #afterDeclaration(from: number): number {
    if (this.#missing.has(']>')) return this.#after('>', from);
    const end = declarationEnd(this.#text, from);
    // Nested declarations with the same fault would each be read to its end.
    const isBroken = end > this.#text.length || end < NOWHERE;
    if (!isBroken) return end;
    this.#missing.add(']>');
    return NOWHERE;
  }

  /** After the next occurrence of a sign; a missing sign is searched for only once. */
  #after(sign: string, from: number): number {
    if (this.#missing.has(sign)) return NOWHERE;
    const found = this.#text.indexOf(sign, from);
    if (found !== -1) return found + sign.length;
    this.#missing.add(sign);
    return NOWHERE;
  }
}

keepOptimised(new XmlReader(''));

/** After the `>` of a tag. Ends at a `<` that begins another tag, so that a tag without an end hides nothing. */
function tagEnd(text: string, from: number): number {
  let quote = 0;
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === LESS && (quote === 0 || beginsMarkup(text, at))) return NOWHERE;
    if (quote !== 0) {
      if (unit === quote) quote = 0;
    } else if (unit === GREATER) return at + 1;
    else if (unit === DOUBLE || unit === SINGLE) quote = unit;
  }
  return NOWHERE;
}

/**
 * After the `>` of a declaration, which may contain others in brackets. Without an end: above the length of the text,
 * `NOWHERE`, or `BROKEN_OFF` after brackets.
 */
function declarationEnd(text: string, from: number): number {
  let quote = 0;
  let depth = 0;
  let hasBrackets = false;
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (quote !== 0) {
      if (unit === quote) quote = 0;
    } else if (unit === DOUBLE || unit === SINGLE) quote = unit;
    else if (unit === OPEN_BRACKET) {
      hasBrackets = true;
      depth++;
    } else if (unit === CLOSE_BRACKET) depth--;
    else if (unit === GREATER && depth <= 0) return at + 1;
    else if (unit === LESS && depth <= 0) return hasBrackets ? BROKEN_OFF : NOWHERE;
    else if (unit === LESS && text.startsWith('<!--', at)) at = commentEnd(text, at);
  }
  return text.length + 1;
}

/** The last unit of a comment. */
function commentEnd(text: string, at: number): number {
  const end = text.indexOf('-->', at);
  return end === -1 ? text.length : end + 2;
}

/** Whether a `<` begins markup rather than being a sign in a text. */
function beginsMarkup(text: string, at: number): boolean {
  const unit = text.charCodeAt(at + 1);
  return beginsName(unit) || unit === SLASH || unit === BANG || unit === QUESTION;
}

/** Letters, `_`, `:` and everything outside ASCII. */
function beginsName(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || unit === 95 || unit === 58 || unit >= 0xc0
  );
}

function endsName(unit: number): boolean {
  return unit === GREATER || unit === SLASH || unit === LESS || isSpace(unit);
}

/** Whether a unit is white space in XML. */
export function isSpace(unit: number): boolean {
  return unit === 32 || unit === 10 || unit === 9 || unit === 13;
}

export function wordsIn(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

/** A name without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
