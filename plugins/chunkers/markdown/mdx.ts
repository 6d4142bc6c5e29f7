import { countUpTo, matchEnd } from '../../../core/kit.ts';
import { nextLine } from '../../toolkit/lines.ts';
import type { MarkdownBlock } from '../../toolkit/markdown/index.ts';

export interface Components {
  /** The number of components around an offset, at most `MAX_DEPTH`. */
  nestingAt(offset: number): number;
  /** Starts of blocks that must not be cut from the previous block: after an opening tag, or with a closing tag. */
  readonly glued: ReadonlySet<number>;
}

/** Components with more than this depth are not distinguished, because each level costs a rank of boundaries. */
const MAX_DEPTH = 4;

const MODULE = /(?:import|export)(?=[\s{*"'])/y;
const SCRIPT = /<(?:[A-Za-z][\w.-]*(?=[\s/>])|>)|\{/y;

/**
 * Finds the blocks of MDX. Imports and exports are `esm`. A tag or expression over several blocks is one `html`
 * block.
 */
export function withScripts(text: string, plain: readonly MarkdownBlock[]): MarkdownBlock[] {
  const reader = new ScriptReader(text);
  const blocks: MarkdownBlock[] = [];
  let done = 0;
  for (const block of plain) {
    const last = blocks.at(-1);
    if (block.start >= done || last === undefined) {
      const script = scriptOf(text, block, reader);
      blocks.push(script ?? block);
      if (script === undefined) continue;
      done = Math.max(script.end, block.end);
      if (script.end < block.end) blocks.push({ ...block, start: script.end, inner: script.end });
    } else if (block.depth === 0 && block.end > done) {
      blocks[blocks.length - 1] = { ...last, end: block.end };
      done = block.end;
    }
  }
  return blocks;
}

function scriptOf(text: string, block: MarkdownBlock, reader: ScriptReader): MarkdownBlock | undefined {
  const { kind, depth, inner } = block;
  if (depth > 0 || !isMarkup(block)) return undefined;
  if (kind === 'paragraph' && matchEnd(MODULE, text, inner) !== -1)
    return { ...block, kind: 'esm', end: reader.moduleEnd(inner) ?? block.end };
  if (matchEnd(SCRIPT, text, inner) === -1) return undefined;
  const end = text[inner] === '{' ? reader.braceEnd(inner) : reader.tagEnd(inner);
  if (end === undefined || end <= block.end) return undefined;
  return { ...block, kind: 'html', end: nextLine(text, end, text.length) };
}

function isMarkup({ kind }: MarkdownBlock): boolean {
  return kind === 'paragraph' || kind === 'html';
}

const TAG = /<(\/?)([A-Za-z][\w.:-]*|(?=>))/g;
/** A closing tag at the start of a line. Elsewhere in a paragraph, a closing tag is text. */
const CLOSING = /^[ \t]*<\/([\w.:-]*)\s*>/gm;

export function componentsOf(text: string, blocks: readonly MarkdownBlock[]): Components {
  const pairs = new Pairs();
  const reader = new ScriptReader(text);
  blocks.forEach((block, index) => {
    if (!isMarkup(block)) return;
    const { start, end, inner, depth } = block;
    const source = text.slice(0, end);
    const after = blocks[index + 1];
    const next = after === undefined || after.kind === 'heading' ? -1 : after.start;
    if (text[inner] !== '<') {
      for (const [, name = ''] of text.slice(start, end).matchAll(CLOSING))
        pairs.close(name, depth, start, end);
      return;
    }
    TAG.lastIndex = inner;
    for (let tag = TAG.exec(source); tag !== null; tag = TAG.exec(source)) {
      const [, slash, name = ''] = tag;
      const behind = reader.tagEnd(tag.index) ?? TAG.lastIndex;
      if (slash === '/') pairs.close(name, depth, start, end);
      else if (text[behind - 2] !== '/') pairs.open(name, depth, start, next);
      TAG.lastIndex = behind;
    }
  });
  return pairs;
}

interface OpenTag {
  readonly key: string;
  readonly depth: number;
  readonly start: number;
  readonly next: number;
}

class Pairs implements Components {
  readonly glued = new Set<number>();
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #open: OpenTag[] = [];
  readonly #counts = new Map<string, number>();
  #isSorted = true;

  open(name: string, depth: number, start: number, next: number): void {
    this.#leave(depth);
    const key = `${depth} ${name}`;
    this.#open.push({ key, depth, start, next });
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  close(name: string, depth: number, start: number, end: number): void {
    this.#leave(depth);
    const key = `${depth} ${name}`;
    if ((this.#counts.get(key) ?? 0) === 0) return;
    let tag = this.#pop();
    while (tag.key !== key) tag = this.#pop();
    if (tag.start === start) return;
    this.#starts.push(tag.start);
    this.#ends.push(end);
    this.#isSorted = false;
    this.glued.add(tag.next).add(start);
  }

  nestingAt(offset: number): number {
    if (!this.#isSorted) this.#starts.sort((a, b) => a - b);
    this.#isSorted = true;
    const within = countUpTo(this.#starts, offset - 1) - countUpTo(this.#ends, offset);
    return Math.min(within, MAX_DEPTH);
  }

  #leave(depth: number): void {
    while ((this.#open.at(-1)?.depth ?? 0) > depth) this.#pop();
  }

  #pop(): OpenTag {
    const tag = this.#open.pop() as OpenTag;
    this.#counts.set(tag.key, (this.#counts.get(tag.key) as number) - 1);
    return tag;
  }
}

/** Maximum characters read per character of the text. After that, tags and expressions end with their blocks. */
const MAX_READ = 16;

/** A bracket, a string, a comment or a line break. An unclosed template string or comment ends with the text. */
const TOKEN =
  /[{}()[\]>]|"[^"\n]*"|'[^'\n]*'|`(?:[^`\\]|\\[\s\S])*(?:`|$)|\/\/.*|\/\*[\s\S]*?(?:\*\/|$)|\r?\n|\r/g;
const MAX_SCRIPT_LENGTH = 65_536;

class ScriptReader {
  readonly #text: string;
  #readable: number;

  constructor(text: string) {
    this.#text = text;
    this.#readable = MAX_READ * text.length;
  }

  /** The end of imports or exports: before a blank line or a heading outside of brackets. */
  moduleEnd(start: number): number | undefined {
    return this.#end(start, ({ 0: token, index, input }, depth) => {
      const behind = index + token.length;
      return depth === 0 && /^[\r\n]/.test(token) && matchEnd(MODULE_END, input, behind) !== -1;
    });
  }

  braceEnd(start: number): number | undefined {
    return this.#end(start, ([token], depth) => token === '}' && depth === 0);
  }

  tagEnd(start: number): number | undefined {
    return this.#end(start, ([token], depth) => token === '>' && depth === 0);
  }

  #end(start: number, isLast: (token: RegExpExecArray, depth: number) => boolean): number | undefined {
    const source = this.#text.slice(start, start + Math.min(MAX_SCRIPT_LENGTH, this.#readable));
    let depth = 0;
    for (const token of source.matchAll(TOKEN)) {
      if (/^[([{]/.test(token[0])) depth++;
      else if (/^[)\]}]/.test(token[0])) depth = Math.max(depth - 1, 0);
      if (!isLast(token, depth)) continue;
      const end = token.index + token[0].length;
      this.#readable -= end;
      return start + end;
    }
    this.#readable -= source.length;
    return undefined;
  }
}

const MODULE_END = /[ \t]*(?:[\r\n]|$)|#{1,6} /y;
