import { matchEnd } from '../../../../core/kit.ts';
import type { MarkdownBlock } from '../../../toolkit/markdown/index.ts';

const MAX_LABEL = 999;
const LABEL = /^\[((?:[^[\]\\]|\\[\s\S])*)\]/;
const NOTE = /^\[\^([^[\]\s]+)\]/;
const SPACE = /[ \t]*(?:\r\n|\r|\n)?[ \t]*/y;
const POINTED = /<(?:[^<>\\\r\n]|\\.)*>/y;
const TITLE = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|\((?:[^()\\]|\\[\s\S])*\)/y;

export function labelAt(source: string, at: number): string | undefined {
  return source[at] === '[' ? LABEL.exec(source.slice(at, at + MAX_LABEL + '[]'.length))?.[1] : undefined;
}

export function noteAt(source: string, at: number): string | undefined {
  return source[at + 1] === '^' ? NOTE.exec(source.slice(at, at + MAX_LABEL))?.[1] : undefined;
}

/** The offset after the `)` of a link whose destination begins at `from`; -1 if there is no link. */
export function destinationEnd(source: string, from: number): number {
  let at = matchEnd(SPACE, source, from);
  at = source[at] === '<' ? matchEnd(POINTED, source, at) : bareEnd(source, at);
  if (at === -1) return -1;
  const behind = matchEnd(SPACE, source, at);
  if (source[behind] === ')') return behind + 1;
  const title = behind > at ? matchEnd(TITLE, source, behind) : -1;
  if (title === -1) return -1;
  const end = matchEnd(SPACE, source, title);
  return source[end] === ')' ? end + 1 : -1;
}

const MAX_NESTED = 32;
const OPEN = 40;
const CLOSE = 41;
const BACKSLASH = 92;
const SPACE_UNIT = 32;
const DELETE = 127;

function bareEnd(source: string, from: number): number {
  let nested = 0;
  let at = from;
  for (; at < source.length; at++) {
    const unit = source.charCodeAt(at);
    if (unit <= SPACE_UNIT || unit === DELETE) break;
    if (unit === BACKSLASH) at++;
    else if (unit === OPEN && ++nested > MAX_NESTED) return -1;
    else if (unit === CLOSE && --nested < 0) return at;
  }
  return nested > 0 ? -1 : at;
}

const DEFINED_LABEL = /^\[\^?((?:[^\]\\]|\\.)*)\]/;

export class Definitions {
  readonly #text: string;
  readonly #blocks: readonly MarkdownBlock[];
  #links: Set<string> | undefined;
  #notes: Set<string> | undefined;

  constructor(text: string, blocks: readonly MarkdownBlock[]) {
    this.#text = text;
    this.#blocks = blocks;
  }

  hasLink(label: string): boolean {
    this.#links ??= this.#labelsOf('definition');
    return this.#links.has(normal(label));
  }

  /** Whether a footnote has the label. A number always counts, even if the text has no such footnote. */
  hasNote(label: string): boolean {
    if (/^\d+$/.test(label)) return true;
    this.#notes ??= this.#labelsOf('footnote');
    return this.#notes.has(normal(label));
  }

  #labelsOf(kind: MarkdownBlock['kind']): Set<string> {
    const labels = new Set<string>();
    for (const block of this.#blocks) if (block.kind === kind) labels.add(normal(this.#labelOf(block)));
    return labels;
  }

  #labelOf({ inner, end }: MarkdownBlock): string {
    const source = this.#text.slice(inner, Math.min(end, inner + MAX_LABEL + '[]'.length));
    return DEFINED_LABEL.exec(source)?.[1] ?? '';
  }
}

function normal(label: string): string {
  // Converts to both cases, because some letters match only in lower case, and others only in upper case.
  return label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}

const ATTRIBUTES = /\{(?::[ \t]*|[ \t]*)/y;
const GAP = /[ \t]+/y;
/** An identifier, a class, or `name=value`. The name has several letters, because `{x=1}` is a mathematical set. */
const ATTRIBUTE =
  /#[^\s{}"'#]+|\.[\p{L}_-][^\s{}"'#.]*|[\p{L}_:@][\w:.@-]+=(?:"[^"\r\n]*"|'[^'\r\n]*'|[^\s{}"']*)/uy;
/** The name of attributes that are defined elsewhere, as in `{:name}`. */
const ATTRIBUTES_NAME = /[\p{L}_][\w-]*/uy;
const UNNUMBERED = /\{-\}/y;

/** The end of an attribute list, such as `{#id .class key="value"}`, `{: .class}` or `{-}`; -1 if there is none. */
export function attributesEnd(source: string, start: number): number {
  if (source[start] !== '{') return -1;
  const unnumbered = matchEnd(UNNUMBERED, source, start);
  if (unnumbered !== -1) return unnumbered;
  const inner = matchEnd(ATTRIBUTES, source, start);
  const hasColon = source[start + 1] === ':';
  let at = inner;
  for (let next = inner; next !== -1; next = itemEnd(source, at, hasColon)) at = next;
  return at > inner && source[at] === '}' ? at + 1 : -1;
}

function itemEnd(source: string, at: number, hasColon: boolean): number {
  const space = matchEnd(GAP, source, at);
  if (space !== -1) return space;
  const attribute = matchEnd(ATTRIBUTE, source, at);
  return attribute === -1 && hasColon ? matchEnd(ATTRIBUTES_NAME, source, at) : attribute;
}
