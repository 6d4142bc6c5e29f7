import { keepOptimised } from '../../../core/engine/keep-optimised.ts';
import { matchEnd } from '../../../core/engine/search.ts';
import { BACKSLASH, DOLLAR, isBlank, PERCENT } from './letters.ts';

export interface RawBlock {
  readonly kind: 'fence' | 'raw';
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
/** What may follow the end of math on the same line: a label, a number or a punctuation mark. */
const MATH_TAIL = /[ \t]*(?:(?:\{[^{}\r\n]*\}|\([\w.-]+\))[ \t]*)?(?:[.,;][ \t]*)?$/my;
const LINE_TAIL = /[ \t]*$/my;

/**
 * Finds math, environments of LaTeX, blocks of Liquid and Hugo, and comments of Obsidian. Ignores blocks without an
 * end. Offsets must not decrease between calls. Takes linear time, because it remembers the next match of each
 * pattern.
 */
export class RawBlocks {
  readonly #text: string;
  readonly #units: Uint16Array;
  readonly #next = new Map<RegExp | string, number>();
  #ends: Map<string, number[]> | undefined;

  constructor(text: string, units: Uint16Array) {
    this.#text = text;
    this.#units = units;
  }

  at(start: number, lineEnd: number): RawBlock | undefined {
    const block = this.#blockAt(start, lineEnd);
    return block !== undefined && block.end > lineEnd ? block : undefined;
  }

  #blockAt(start: number, lineEnd: number): RawBlock | undefined {
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
   * Finds a block between two marks. The closing mark must end its line, and there must be no fence before it. If
   * text follows the opening mark and a blank line precedes the closing mark, the opening line is an ordinary
   * paragraph.
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
      const matches = [...this.#text.matchAll(ENVIRONMENT_END)].reverse();
      this.#ends = new Map();
      for (const { index, 1: ended = '' } of matches) {
        const offsets = this.#ends.get(ended);
        if (offsets === undefined) this.#ends.set(ended, [index]);
        else offsets.push(index);
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
    // Raw text that contains fences is probably the whole page, which is Markdown, and not a block.
    const isPage = name !== 'comment' && inRange(this.#find(FENCE, start), end);
    return isPage ? undefined : { kind: 'raw', end };
  }

  #hugo(start: number): RawBlock | undefined {
    if (matchEnd(HUGO, this.#text, start) === -1) return undefined;
    const end = this.#find(HUGO_END, start);
    return end === -1 ? undefined : { kind: 'fence', end };
  }

  #find(pattern: RegExp | string, from: number): number {
    const known = this.#next.get(pattern);
    if (known !== undefined && (known === -1 || known >= from)) return known;
    const offset = this.#search(pattern, from);
    this.#next.set(pattern, offset);
    return offset;
  }

  #search(pattern: RegExp | string, from: number): number {
    if (typeof pattern === 'string') return this.#text.indexOf(pattern, from);
    pattern.lastIndex = from;
    return pattern.exec(this.#text)?.index ?? -1;
  }
}

keepOptimised(new RawBlocks('', new Uint16Array(0)));

function inRange(offset: number, end: number): boolean {
  return offset !== -1 && offset < end;
}
