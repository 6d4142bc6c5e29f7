import { keepOptimised } from '../../../../core/kit.ts';

export const OPENING = 0;
export const CLOSING = 1;
/** A self-closing tag. */
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
/** The result for a declaration with brackets that another `<` breaks off. */
const BROKEN_OFF = -2;

/**
 * Reads the markup of XML in one pass. Everything else is text, including a `<` that begins no markup and markup
 * without an end.
 */
export class XmlReader {
  readonly #text: string;
  #next = 0;
  /** Closing signs that the rest of the text lacks. */
  readonly #missing = new Set<string>();
  kind: MarkupKind = INSTRUCTION;
  start = 0;
  end = 0;
  name = '';

  constructor(text: string) {
    this.#text = text;
  }

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

  /** The end of the markup that begins at a `<`; `NOWHERE` if no markup begins there. */
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

  /** The offset after a declaration. After a declaration without an end, later declarations end at the next `>`. */
  #afterDeclaration(from: number): number {
    if (this.#missing.has(']>')) return this.#after('>', from);
    const end = declarationEnd(this.#text, from);
    // A broken declaration is noted. Otherwise each one nested in it would read the rest of the text again.
    const isBroken = end > this.#text.length || end < NOWHERE;
    if (!isBroken) return end;
    this.#missing.add(']>');
    return NOWHERE;
  }

  /** The offset after the next `sign`; `NOWHERE` if there is none. A missing sign is searched for only once. */
  #after(sign: string, from: number): number {
    if (this.#missing.has(sign)) return NOWHERE;
    const found = this.#text.indexOf(sign, from);
    if (found !== -1) return found + sign.length;
    this.#missing.add(sign);
    return NOWHERE;
  }
}

keepOptimised(new XmlReader(''));

/** The offset after the `>` of a tag; `NOWHERE` if another tag begins first. */
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
 * The offset after the `>` of a declaration, which may contain declarations in brackets. If the text ends first, the
 * result is beyond the text. If another `<` comes first, the result is `NOWHERE`; after brackets, it is `BROKEN_OFF`.
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

function commentEnd(text: string, at: number): number {
  const end = text.indexOf('-->', at);
  return end === -1 ? text.length : end + 2;
}

function beginsMarkup(text: string, at: number): boolean {
  const unit = text.charCodeAt(at + 1);
  return beginsName(unit) || unit === SLASH || unit === BANG || unit === QUESTION;
}

/** Whether a code unit may begin a name: letters, `_`, `:` and units from U+00C0 on. */
function beginsName(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || unit === 95 || unit === 58 || unit >= 0xc0
  );
}

function endsName(unit: number): boolean {
  return unit === GREATER || unit === SLASH || unit === LESS || isSpace(unit);
}

export function isSpace(unit: number): boolean {
  return unit === 32 || unit === 10 || unit === 9 || unit === 13;
}

export function wordsIn(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
