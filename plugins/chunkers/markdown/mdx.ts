import { countUpTo } from '../../../core/kit.ts';
import { nextLine } from '../../toolkit/lines.ts';
import type { MarkdownBlock } from '../../toolkit/markdown/index.ts';

/** How the components of MDX hold its blocks. */
export interface Components {
  /** How many components an offset is within. */
  nestingAt(offset: number): number;
  /** Where a block must not be cut off: after an opening tag and before a closing one. */
  readonly glued: ReadonlySet<number>;
}

/** Deeper components are not distinguished, because each level is a rank of boundaries. */
const MAX_DEPTH = 4;

/** At the beginning of a block. Prose that begins with such a word is not MDX. */
const MODULE = /(?:import|export)(?=[\s{*"'])/y;
const SCRIPT = /<(?:[A-Za-z][\w.-]*(?=[\s/>])|>)|\{/y;

/**
 * The blocks of MDX: imports and exports are `esm`, and a tag or an expression that Markdown divides is one block
 * `html`, whatever Markdown sees in it.
 */
export function withScripts(text: string, found: readonly MarkdownBlock[]): MarkdownBlock[] {
  const reader = new ScriptReader(text);
  const blocks: MarkdownBlock[] = [];
  let done = 0;
  for (const block of found) {
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

/** What a block begins with, if that is a script which is a block of its own. */
function scriptOf(text: string, block: MarkdownBlock, reader: ScriptReader): MarkdownBlock | undefined {
  const { kind, depth, inner } = block;
  if (depth > 0 || !isMarkup(block)) return undefined;
  if (kind === 'paragraph' && matches(MODULE, text, inner))
    return { ...block, kind: 'esm', end: reader.moduleEnd(inner) ?? block.end };
  if (!matches(SCRIPT, text, inner)) return undefined;
  const end = text[inner] === '{' ? reader.braceEnd(inner) : reader.tagEnd(inner);
  if (end === undefined || end <= block.end) return undefined;
  return { ...block, kind: 'html', end: nextLine(text, end, text.length) };
}

function isMarkup({ kind }: MarkdownBlock): boolean {
  return kind === 'paragraph' || kind === 'html';
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

const TAG = /<(\/?)([A-Za-z][\w.:-]*|(?=>))/g;
/** At the beginning of a line; further up in a paragraph, a tag is text. */
const CLOSING = /^[ \t]*<\/([\w.:-]*)\s*>/gm;

/** Pairs the tags of components. */
export function componentsOf(text: string, blocks: readonly MarkdownBlock[]): Components {
  const pairs = new Pairs();
  const reader = new ScriptReader(text);
  blocks.forEach((block, index) => {
    if (!isMarkup(block)) return;
    const { start, end, inner, depth } = block;
    const source = text.slice(0, end);
    const after = blocks[index + 1];
    // A section begins at its heading.
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
  /** Where its block and the next one begin. */
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

  /** Forgets the tags of lists and quotes that have ended. */
  #leave(depth: number): void {
    while ((this.#open.at(-1)?.depth ?? 0) > depth) this.#pop();
  }

  #pop(): OpenTag {
    const tag = this.#open.pop() as OpenTag;
    this.#counts.set(tag.key, (this.#counts.get(tag.key) as number) - 1);
    return tag;
  }
}

/** Characters that are read per character of the text; scripts after that end with their blocks. */
const MAX_READ = 16;

/** A bracket, a string, a comment or a line break. What is not closed goes to the end. */
const TOKEN =
  /[{}()[\]>]|"[^"\n]*"|'[^'\n]*'|`(?:[^`\\]|\\[\s\S])*(?:`|$)|\/\/.*|\/\*[\s\S]*?(?:\*\/|$)|\r?\n|\r/g;
/** Longest script that is read. */
const MAX_SCRIPT_LENGTH = 65_536;

/** Finds where scripts end, with their brackets, strings and comments. */
class ScriptReader {
  readonly #text: string;
  #readable: number;

  constructor(text: string) {
    this.#text = text;
    this.#readable = MAX_READ * text.length;
  }

  /** After imports or exports: before a blank line or a heading that is not within brackets. */
  moduleEnd(start: number): number | undefined {
    return this.#end(start, ({ 0: token, index, input }, depth) => {
      const behind = index + token.length;
      return depth === 0 && /^[\r\n]/.test(token) && matches(MODULE_END, input, behind);
    });
  }

  /** After the brace that closes the one at an offset. */
  braceEnd(start: number): number | undefined {
    return this.#end(start, ([token], depth) => token === '}' && depth === 0);
  }

  /** After the end of the tag at an offset. */
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
