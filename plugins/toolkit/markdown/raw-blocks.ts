import { keepOptimised } from '../../../core/engine/keep-optimised.ts';
import { matchEnd } from '../../../core/engine/search.ts';
import type { BlockKind } from './block.ts';
import { BACKSLASH, DOLLAR, isBlank, PERCENT } from './letters.ts';

/** Lines that are not Markdown, up to the line that closes them. */
export interface RawBlock {
  readonly kind: BlockKind;
  /** Within its last line. */
  readonly end: number;
}

const LIQUID = /\{%-?[ \t]*(raw|verbatim|comment|highlight|codeblock)\b[^\r\n]*?%\}/y;
const HUGO = /\{\{[<%][ \t]*highlight\b/y;
const ENVIRONMENT = /\\begin\{([a-zA-Z]+\*?)\}/y;
const ENVIRONMENT_END = /\\end\{([a-zA-Z]+\*?)\}/g;
const HUGO_END = /\{\{[<%][ \t]*\/[ \t]*highlight[ \t]*[>%]\}\}/g;
const LIQUID_END = ['raw', 'verbatim', 'comment', 'highlight', 'codeblock'].map(
  (name) => [name, new RegExp(`\\{%-?[ \\t]*end${name}[ \\t]*-?%\\}`, 'g')] as const,
);
const BLANK_LINE = /(?:\r\n|\n|\r(?!\n))[ \t]*(?=[\r\n])/g;
const FENCE = /(?:^|[\r\n])[ \t]*(?:`{3}|~{3})/g;
/** What may follow the end of math on its line: a label, a number or a stop. */
const MATH_TAIL = /[ \t]*(?:(?:\{[^{}\r\n]*\}|\([\w.-]+\))[ \t]*)?(?:[.,;][ \t]*)?$/my;
const LINE_TAIL = /[ \t]*$/my;

/**
 * Finds the math, the environments of LaTeX, the blocks of Liquid and Hugo, and the comments of Obsidian in a text.
 * None begins without an end. Offsets must not fall: what comes next is remembered, so that all searches are linear.
 */
export class RawBlocks {
  readonly #text: string;
  readonly #units: Uint16Array;
  readonly #next = new Map<RegExp | string, number>();
  /** Where the ends of environments begin, by their names, each list from its end. */
  #ends: Map<string, number[]> | undefined;

  constructor(text: string, units: Uint16Array) {
    this.#text = text;
    this.#units = units;
  }

  /** The block of several lines that begins at an offset, on a line that ends at `lineEnd`. */
  at(start: number, lineEnd: number): RawBlock | undefined {
    const found = this.#begunAt(start, lineEnd);
    return found !== undefined && found.end > lineEnd ? found : undefined;
  }

  #begunAt(start: number, lineEnd: number): RawBlock | undefined {
    const text = this.#text;
    switch (text.charCodeAt(start)) {
      case DOLLAR:
        return text.startsWith('$$', start)
          ? this.#between('$$', '$$', MATH_TAIL, start, lineEnd)
          : undefined;
      case PERCENT:
        return text.startsWith('%%', start)
          ? this.#between('%%', '%%', LINE_TAIL, start, lineEnd)
          : undefined;
      case BACKSLASH:
        return text.startsWith('\\[', start)
          ? this.#between('\\[', '\\]', MATH_TAIL, start, lineEnd)
          : this.#environment(start);
      default:
        return this.#liquid(start) ?? this.#hugo(start);
    }
  }

  /**
   * Between marks: the next one must end its line, and no fence begins before it. Text after the first one belongs to a
   * paragraph if a blank line follows before the end.
   */
  #between(mark: string, close: string, tail: RegExp, start: number, lineEnd: number): RawBlock | undefined {
    const inner = start + mark.length;
    const end = this.#find(close, inner);
    if (end === -1 || matchEnd(tail, this.#text, end + close.length) === -1) return undefined;
    const isParagraph = !isBlank(this.#units, inner, lineEnd) && inRange(this.#find(BLANK_LINE, inner), end);
    return isParagraph || inRange(this.#find(FENCE, start), end) ? undefined : { kind: 'raw', end };
  }

  #environment(start: number): RawBlock | undefined {
    ENVIRONMENT.lastIndex = start;
    const name = ENVIRONMENT.exec(this.#text)?.[1];
    const end = name === undefined ? undefined : this.#environmentEnd(name, start);
    return end === undefined ? undefined : { kind: 'raw', end };
  }

  #environmentEnd(name: string, start: number): number | undefined {
    if (this.#ends === undefined) {
      const found = [...this.#text.matchAll(ENVIRONMENT_END)].reverse();
      this.#ends = new Map();
      for (const { index, 1: ended = '' } of found) {
        const known = this.#ends.get(ended);
        if (known === undefined) this.#ends.set(ended, [index]);
        else known.push(index);
      }
    }
    const ends = this.#ends.get(name) ?? [];
    while (ends.length > 0 && (ends.at(-1) as number) < start) ends.pop();
    return ends.at(-1);
  }

  #liquid(start: number): RawBlock | undefined {
    LIQUID.lastIndex = start;
    const name = LIQUID.exec(this.#text)?.[1];
    const close = LIQUID_END.find(([one]) => one === name)?.[1];
    if (close === undefined) return undefined;
    const end = this.#find(close, start);
    if (end === -1) return undefined;
    if (name === 'highlight' || name === 'codeblock') return { kind: 'fence', end };
    // What is raw for Liquid is Markdown afterwards: with fences it is a page, or they hide what is in them.
    const isPage = name !== 'comment' && inRange(this.#find(FENCE, start), end);
    return isPage ? undefined : { kind: 'raw', end };
  }

  #hugo(start: number): RawBlock | undefined {
    if (matchEnd(HUGO, this.#text, start) === -1) return undefined;
    const end = this.#find(HUGO_END, start);
    return end === -1 ? undefined : { kind: 'fence', end };
  }

  /** Where something is found from an offset on; -1 if it is not. */
  #find(what: RegExp | string, from: number): number {
    const known = this.#next.get(what);
    if (known !== undefined && (known === -1 || known >= from)) return known;
    const found = this.#search(what, from);
    this.#next.set(what, found);
    return found;
  }

  #search(what: RegExp | string, from: number): number {
    if (typeof what === 'string') return this.#text.indexOf(what, from);
    what.lastIndex = from;
    return what.exec(this.#text)?.index ?? -1;
  }
}

keepOptimised(new RawBlocks('', new Uint16Array(0)));

function inRange(found: number, end: number): boolean {
  return found !== -1 && found < end;
}
