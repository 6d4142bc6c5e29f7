import { isWhiteSpace } from '../../../../core/kit.ts';
import { Delimiters } from './delimiters.ts';
import { attributesEnd, type Definitions, destinationEnd, labelAt, noteAt } from './links.ts';
import { Tags } from './tags.ts';

/** Decodes a character reference, such as `&amp;`; other text is unchanged. */
export type Decode = (reference: string) => string;

const MARK = /[\\`<&![\]*_~{$]/g;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/iy;
const TICKS = /`+/g;
const ONLY_TAGS = /^(?:\s*<[^<>]*>)*\s*$/;
const WORD = /[\p{L}\p{N}]/u;

/**
 * Renders inline Markdown (CommonMark with strikethrough and footnotes) as the text that a reader sees. Links and
 * images become their texts. Tags, attributes and emphasis are removed. Math and code are verbatim.
 */
export function inlineText(source: string, definitions: Definitions, decode: Decode): string {
  return new InlineText(source, definitions, decode).read();
}

interface Bracket {
  readonly isImage: boolean;
  readonly inner: number;
  readonly piece: number;
  readonly runs: number;
  /** Whether the bracket contains another bracket, and therefore is not a label. */
  holdsBracket: boolean;
}

class InlineText {
  readonly #source: string;
  readonly #definitions: Definitions;
  readonly #decode: Decode;
  readonly #pieces: string[] = [];
  readonly #delimiters: Delimiters;
  readonly #tags: Tags;
  readonly #brackets: Bracket[] = [];
  /** Number of open brackets that cannot begin a link, because they already contain a link. */
  #withoutLinks = 0;
  #ticks: Map<number, number[]> | undefined;
  #spanEnd = -1;
  #hasMathEnd = true;
  #hasCommentEnd = true;

  constructor(source: string, definitions: Definitions, decode: Decode) {
    this.#source = source;
    this.#definitions = definitions;
    this.#decode = decode;
    this.#delimiters = new Delimiters(source, this.#pieces);
    this.#tags = new Tags(source);
  }

  read(): string {
    const source = this.#source;
    let at = 0;
    while (at < source.length) {
      MARK.lastIndex = at;
      const mark = MARK.exec(source)?.index ?? source.length;
      if (mark > at) this.#pieces.push(source.slice(at, mark));
      at = mark < source.length ? this.#readMark(mark) : mark;
    }
    this.#delimiters.match(0);
    return this.#pieces.join('');
  }

  /** @returns the end of the syntax that begins with the mark */
  #readMark(at: number): number {
    switch (this.#source[at]) {
      case '\\':
        return this.#readEscape(at);
      case '`':
        return this.#readCode(at);
      case '<':
        return this.#readTag(at);
      case '&':
        return this.#readReference(at);
      case '[':
        return this.#openBracket(at);
      case '!':
        return this.#source[at + 1] === '[' ? this.#open(at, true) : this.#put('!', at + 1);
      case ']':
        return this.#closeBracket(at);
      case '{':
        return this.#readBrace(at);
      case '$':
        return this.#readMath(at);
      default:
        this.#spanEnd = this.#delimiters.read(at);
        return this.#spanEnd;
    }
  }

  #put(text: string, end: number): number {
    this.#pieces.push(text);
    return end;
  }

  #readEscape(at: number): number {
    const next = this.#source[at + 1] ?? '';
    if (ESCAPABLE.test(next)) return this.#put(next, at + 2);
    // A backslash before a line break is a hard line break.
    return this.#put(next === '\n' || next === '\r' ? ' ' : '\\', at + 1);
  }

  #readCode(at: number): number {
    const source = this.#source;
    let inner = at;
    while (source[inner] === '`') inner++;
    const end = this.#ticksFrom(inner, inner - at);
    if (end === undefined) return this.#put(source.slice(at, inner), inner);
    this.#spanEnd = end + inner - at;
    return this.#put(codeIn(source.slice(inner, end)), this.#spanEnd);
  }

  /** The start of the next run of `length` backticks. Offsets must not decrease between calls. */
  #ticksFrom(from: number, length: number): number | undefined {
    if (this.#ticks === undefined) {
      const runs = [...this.#source.matchAll(TICKS)].reverse();
      this.#ticks = new Map();
      for (const { index, 0: run } of runs) {
        const starts = this.#ticks.get(run.length);
        if (starts === undefined) this.#ticks.set(run.length, [index]);
        else starts.push(index);
      }
    }
    const starts = this.#ticks.get(length) ?? [];
    while (starts.length > 0 && (starts.at(-1) as number) < from) starts.pop();
    return starts.at(-1);
  }

  #readTag(at: number): number {
    const { end, text } = this.#tags.read(at);
    if (text === '') this.#spanEnd = end;
    return this.#put(text, end);
  }

  #readReference(at: number): number {
    REFERENCE.lastIndex = at;
    const reference = REFERENCE.exec(this.#source)?.[0] ?? '&';
    return this.#put(this.#decode(reference), at + reference.length);
  }

  #openBracket(at: number): number {
    const note = noteAt(this.#source, at);
    if (note !== undefined && this.#definitions.hasNote(note)) return at + note.length + '[^]'.length;
    return this.#open(at, false);
  }

  #open(at: number, isImage: boolean): number {
    const around = this.#brackets.at(-1);
    if (around !== undefined) around.holdsBracket = true;
    const inner = at + (isImage ? 2 : 1);
    this.#brackets.push({
      isImage,
      inner,
      piece: this.#pieces.length,
      runs: this.#delimiters.count,
      holdsBracket: false,
    });
    return this.#put(isImage ? '![' : '[', inner);
  }

  #closeBracket(at: number): number {
    const bracket = this.#brackets.pop();
    if (bracket === undefined) return this.#put(']', at + 1);
    const isDead = !bracket.isImage && this.#brackets.length < this.#withoutLinks;
    this.#withoutLinks = Math.min(this.#withoutLinks, this.#brackets.length);
    const linkEnd = isDead ? -1 : this.#linkEnd(bracket, at);
    const end = linkEnd === -1 ? attributesEnd(this.#source, at + 1) : linkEnd;
    if (end === -1) return this.#put(']', at + 1);
    this.#spanEnd = end;
    this.#pieces[bracket.piece] = '';
    this.#delimiters.match(bracket.runs);
    if (linkEnd !== -1 && !bracket.isImage) this.#withoutLinks = this.#brackets.length;
    if (this.#isPermalink(bracket, at)) this.#pieces.length = bracket.piece;
    return end;
  }

  #linkEnd({ inner, holdsBracket }: Bracket, at: number): number {
    const source = this.#source;
    const end = source[at + 1] === '(' ? destinationEnd(source, at + 2) : -1;
    if (end !== -1) return end;
    const label = labelAt(source, at + 1);
    if (label !== undefined && label !== '')
      return this.#definitions.hasLink(label) ? at + 1 + label.length + '[]'.length : -1;
    const isDefined = !holdsBracket && this.#definitions.hasLink(source.slice(inner, at));
    return isDefined ? at + 1 + (label === undefined ? 0 : '[]'.length) : -1;
  }

  /** Whether a link is the permalink sign of a heading: its text has no words, and its target is on the same page. */
  #isPermalink({ inner, isImage }: Bracket, at: number): boolean {
    return !isImage && this.#source.startsWith('(#', at + 1) && !WORD.test(this.#source.slice(inner, at));
  }

  #readBrace(at: number): number {
    const source = this.#source;
    if (this.#hasCommentEnd && source.startsWith('{/*', at)) {
      const end = source.indexOf('*/}', at + 3);
      if (end !== -1) return end + 3;
      this.#hasCommentEnd = false;
    }
    const end = attributesEnd(source, at);
    const isList = end !== -1 && (at === this.#spanEnd || ONLY_TAGS.test(source.slice(end)));
    if (!isList) return this.#put('{', at + 1);
    this.#spanEnd = end;
    return end;
  }

  #readMath(at: number): number {
    const source = this.#source;
    const mark = source[at + 1] === '$' ? '$$' : '$';
    const inner = at + mark.length;
    const isOpening = inner < source.length && !isWhiteSpace(source.charCodeAt(inner));
    const end =
      isOpening && this.#hasMathEnd && !isWordAt(source, at - 1) ? mathEnd(source, inner, mark) : undefined;
    if (end === -1) this.#hasMathEnd = false;
    return end === undefined || end === -1 ? this.#put(mark, inner) : this.#put(source.slice(at, end), end);
  }
}

function codeIn(source: string): string {
  const code = source.replace(/[\r\n]/g, ' ');
  const isPadded = code.length > 2 && code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '';
  return isPadded ? code.slice(1, -1) : code;
}

/** The end of math; -1 if there is none. A `$` before a letter or digit (an amount, a variable) does not end math. */
function mathEnd(source: string, inner: number, mark: string): number {
  for (let at = source.indexOf(mark, inner + 1); at !== -1; at = source.indexOf(mark, at + 1)) {
    const before = source.charCodeAt(at - 1);
    const end = at + mark.length;
    if (!isWhiteSpace(before) && before !== BACKSLASH && !isWordAt(source, end)) return end;
  }
  return -1;
}

const BACKSLASH = 92;

function isWordAt(source: string, at: number): boolean {
  return /\w/.test(source.charAt(at));
}
