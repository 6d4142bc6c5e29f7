import type { Heading } from '../../../toolkit/heading-paths.ts';
import { MarkupReader } from '../../../toolkit/markup/index.ts';
import { BLOCKS, VOID_INLINE, wordsIn } from './elements.ts';

export type Decode = (text: string) => string;

export interface PlacedHeading extends Heading {
  /** The start of the text that the heading introduces. */
  readonly end: number;
}

interface Scope {
  readonly level: number;
  readonly base: number;
  readonly count: number;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Maximum names in a heading path. */
const MAX_DEPTH = 6;
const NOWHERE = -1;

/** Collects headings. Headings in a scope are below the heading around the scope, and end with the scope. */
export class Headings {
  readonly #text: string;
  readonly #decode: Decode;
  readonly found: Writable<PlacedHeading>[] = [];
  readonly #scopes: Scope[] = [];
  #level = 0;
  /** Level of the heading whose section contains the innermost scope; 0 if there is none. */
  #base = 0;
  /** Indices of the headings whose scope, if any, is still open. */
  readonly #unbounded: number[] = [];
  /** Headings whose scopes have ended. Their `reach` is set when content follows. */
  readonly #ending: Writable<PlacedHeading>[] = [];
  #open: { readonly level: number; readonly inner: number; start: number } | undefined;
  /** The last heading, if no content has followed yet. */
  #lead: Writable<PlacedHeading> | undefined;

  constructor(text: string, decode: Decode) {
    this.#text = text;
    this.#decode = decode;
  }

  enterScope(): void {
    this.#scopes.push({ level: this.#level, base: this.#base, count: this.found.length });
    this.#base = this.#level;
  }

  leaveScope(): void {
    const scope = this.#scopes.pop();
    if (scope === undefined) return;
    this.#level = scope.level;
    this.#base = scope.base;
    while ((this.#unbounded.at(-1) ?? NOWHERE) >= scope.count) {
      const heading = this.found[this.#unbounded.pop() ?? 0];
      if (heading !== undefined) this.#ending.push(heading);
    }
  }

  /** @param inner where the text of the heading begins */
  open(level: number, inner: number): void {
    this.#open = { level, inner, start: NOWHERE };
  }

  /** Called when content begins. @param cut where the text may be cut in the tags before the content */
  content(cut: number, offset: number): void {
    for (let heading = this.#ending.pop(); heading !== undefined; heading = this.#ending.pop())
      heading.reach = cut;
    if (this.#open !== undefined) {
      if (this.#open.start === NOWHERE) this.#open.start = cut;
    } else if (this.#lead !== undefined) {
      this.#lead.end = offset;
      this.#lead = undefined;
    }
  }

  /** @returns whether the heading has text; a heading without text does not count */
  close(innerEnd: number, end: number): boolean {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined || open.start === NOWHERE) return false;
    const { start, inner } = open;
    const level = Math.min(Math.max(open.level, this.#base + 1), MAX_DEPTH);
    if (this.#lead !== undefined) {
      this.#lead.isLead = true;
      this.#lead.end = start;
    }
    const name = () => wordsOf(this.#text, inner, innerEnd, this.#decode);
    this.#lead = { start, level, isLead: false, reach: undefined, name, end };
    this.#unbounded.push(this.found.length);
    this.found.push(this.#lead);
    this.#level = level;
    return true;
  }
}

const MAX_READ = 2000;
const MAX_NAME = 200;

const NOT_SHOWN = wordsIn(
  'script style template iframe noembed noframes audio video canvas datalist head title rp select',
);
/** Inline elements that separate words. */
const APART = wordsIn('br button img input math svg');
const HIDDEN =
  /\s(?:hidden(?=[\s/>=])|aria-hidden\s*=\s*["']?true|style\s*=\s*["'][^"']*display\s*:\s*none)/i;
/** Classes of text only for screen readers, and of links that edit a section. */
const ASIDE =
  /\sclass\s*=\s*["']?(?:[^"'>]*\s)?(?:mw-editsection|sr-only|visually-hidden|screen-reader-text)(?=[\s"'>])/i;
const TO_PAGE = /\shref\s*=\s*["']?#/i;
const PERMALINK =
  /\sclass\s*=\s*["']?(?:[^"'>]*\s)?(?:anchor|anchor-link|anchorjs-link|headerlink|header-anchor|heading-anchor|hash-link|permalink)(?=[\s"'>])/i;
const HAS_WORDS = /[\p{L}\p{N}]/u;
const NUMBER = /^[-\u2212+]?\d+$/;
const ALT = /\salt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;

/** Character references before decoding. */
const REFERENCES = /&#?\w{1,31};?/g;
const TORN_TAG = /<[^<>]*$/;

/**
 * The text of a heading as the page shows it: without permalinks, with decoded references and single spaces.
 */
export function wordsOf(text: string, start: number, end: number, decode: Decode): string {
  const isTorn = end - start > MAX_READ;
  const html = isTorn ? text.slice(start, start + MAX_READ).replace(TORN_TAG, '') : text.slice(start, end);
  const read = (keepsLinks: boolean) => plain(decode(new Words(html, keepsLinks).read()));
  // Without its links, the heading may be empty: it may consist only of a link to itself.
  const whole = read(false) || read(true);
  return whole.length <= MAX_NAME ? whole : Array.from(whole).slice(0, MAX_NAME).join('').trimEnd();
}

function plain(text: string): string {
  return text
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toWellFormed();
}

interface OpenElement {
  readonly name: string;
  readonly tag: string;
  readonly start: number;
  readonly isHidden: boolean;
}

class Words {
  readonly #html: string;
  readonly #keepsLinks: boolean;
  #text = '';
  readonly #open: OpenElement[] = [];

  constructor(html: string, keepsLinks: boolean) {
    this.#html = html;
    this.#keepsLinks = keepsLinks;
  }

  read(): string {
    const html = this.#html;
    const reader = new MarkupReader(html);
    let behind = 0;
    while (reader.read()) {
      this.#text += html.slice(behind, reader.start);
      const { name, isClosing, start, end } = reader;
      if (name !== '' && isClosing) this.#close(name);
      else if (name !== '') this.#begin(name, html.slice(start, end));
      behind = end;
    }
    this.#text += html.slice(behind);
    for (let last = this.#open.at(-1); last !== undefined; last = this.#open.at(-1)) this.#close(last.name);
    return this.#text;
  }

  #begin(name: string, tag: string): void {
    if (APART.has(name) || BLOCKS.has(name)) this.#text += ' ';
    if (name === 'img' && !HIDDEN.test(tag)) this.#text += `${altOf(tag)} `;
    if (VOID_INLINE.has(name)) return;
    const isHidden = NOT_SHOWN.has(name) || HIDDEN.test(tag) || ASIDE.test(tag);
    this.#open.push({ name, tag, start: this.#text.length, isHidden });
  }

  #close(name: string): void {
    const index = this.#open.findLastIndex((open) => open.name === name);
    const element = this.#open[index];
    if (element === undefined) return;
    this.#open.length = index;
    const inner = this.#text.slice(element.start);
    this.#text = this.#text.slice(0, element.start) + this.#shown(element, inner);
    if (APART.has(name) || BLOCKS.has(name)) this.#text += ' ';
  }

  #shown({ name, tag, isHidden }: OpenElement, inner: string): string {
    if (isHidden) return '';
    if (name === 'sup' && NUMBER.test(inner.trim())) return `^${inner.trim()}`;
    if (name === 'rt') return `(${inner})`;
    if (name !== 'a' || !TO_PAGE.test(tag)) return inner;
    const isMark = !HAS_WORDS.test(inner.replace(REFERENCES, ''));
    return isMark || (PERMALINK.test(tag) && !this.#keepsLinks) ? '' : inner;
  }
}

function altOf(tag: string): string {
  const [, double, single, bare] = ALT.exec(tag) ?? [];
  return double ?? single ?? bare ?? '';
}
