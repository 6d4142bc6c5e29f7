import { keepOptimised } from '../../../core/kit.ts';

const TAB = 9;
const QUOTE = 34;
const APOSTROPHE = 39;
const SLASH = 47;
const EQUALS = 61;
const GREATER = 62;
const SPACE = 32;
const NOWHERE = -1;
/** No relevant name is longer. */
const LONGEST_NAME = 10;
/** Elements whose text contains no tags. */
const RAW = new Set(['script', 'style', 'textarea', 'title']);

/** Reads the tags of HTML, in one pass and regardless of nesting; its fields describe the last tag. */
export class Tags {
  readonly #text: string;
  /** In lower case. */
  name = '';
  start = 0;
  end = 0;
  isClosing = false;
  /** What no longer occurs, so that it is searched only once. */
  readonly #missing = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads the next tag; false if there is none. */
  next(): boolean {
    if (!this.isClosing && RAW.has(this.name)) this.#skipTo(`</${this.name}`, 0);
    while (true) {
      this.start = this.#text.indexOf('<', this.end);
      if (this.start === NOWHERE) return false;
      if (this.#text.startsWith('!--', this.start + 1)) this.#skipComment();
      else if (this.#readTag()) return true;
    }
  }

  #skipComment(): void {
    this.end = this.start + 2;
    this.#skipTo('-->', 3);
    if (this.end === this.start + 2) this.end = this.start + 4;
  }

  /** Skips past an occurrence of a text, ignoring case, plus this many units; stays if there is none. */
  #skipTo(wanted: string, length: number): void {
    if (this.#missing.has(wanted)) return;
    const at = indexInAnyCase(this.#text, wanted, this.end);
    if (at === NOWHERE) this.#missing.add(wanted);
    else this.end = at + length;
  }

  /** Reads the tag that begins here; false if none does. */
  #readTag(): boolean {
    const text = this.#text;
    this.isClosing = text.charCodeAt(this.start + 1) === SLASH;
    const from = this.start + (this.isClosing ? 2 : 1);
    let at = from;
    while (at < text.length && isNameUnit(text.charCodeAt(at))) at++;
    if (at === from) {
      this.end = from;
      return false;
    }
    this.name = at - from > LONGEST_NAME ? '' : text.slice(from, at).toLowerCase();
    this.end = tagEnd(text, at);
    return true;
  }
}

keepOptimised(new Tags(''));

/** The position of a short text, in lower or upper case, at or after an offset. */
function indexInAnyCase(text: string, wanted: string, from: number): number {
  const mark = wanted.charAt(0);
  let at = text.indexOf(mark, from);
  while (at !== NOWHERE && text.slice(at, at + wanted.length).toLowerCase() !== wanted)
    at = text.indexOf(mark, at + 1);
  return at;
}

/**
 * Where a tag ends, after its `>`; one in a quoted value does not count. An unclosed tag extends to the end of the
 * text.
 */
function tagEnd(text: string, from: number): number {
  let isValue = false;
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === GREATER) return at + 1;
    if (isValue && (unit === QUOTE || unit === APOSTROPHE)) {
      const closing = text.indexOf(unit === QUOTE ? '"' : "'", at + 1);
      if (closing === NOWHERE) return text.length;
      at = closing;
      isValue = false;
    } else isValue = unit === EQUALS || (isValue && (unit === SPACE || (unit >= TAB && unit <= 13)));
  }
  return text.length;
}

function isNameUnit(unit: number): boolean {
  const small = unit | SPACE;
  return (small >= 97 && small <= 122) || (unit >= 48 && unit <= 57) || unit === 45 || unit === 58;
}
