import { MarkupReader } from '../../../toolkit/markup/index.ts';
import { BLOCKS, VOID_INLINE } from './elements.ts';

const MAX_READ = 2000;
const MAX_CHARACTERS = 200;

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Elements without text of the page; those in a picture are only its title. */
const NOT_SHOWN = words(
  'script style template iframe noembed noframes audio video canvas datalist head title rp select',
);
/** Elements that are apart from the words around them. */
const APART = words('br button img input math svg');
/** Hidden, or only for screen readers, or the link to edit a section. */
const HIDDEN =
  /\s(?:hidden(?=[\s/>=])|aria-hidden\s*=\s*["']?true|style\s*=\s*["'][^"']*display\s*:\s*none)/i;
const ASIDE =
  /\sclass\s*=\s*["']?(?:[^"'>]*\s)?(?:mw-editsection|sr-only|visually-hidden|screen-reader-text)(?=[\s"'>])/i;
/** Links of a heading to itself. */
const TO_PAGE = /\shref\s*=\s*["']?#/i;
const PERMALINK =
  /\sclass\s*=\s*["']?(?:[^"'>]*\s)?(?:anchor|anchor-link|anchorjs-link|headerlink|header-anchor|heading-anchor|hash-link|permalink)(?=[\s"'>])/i;
const HAS_WORDS = /[\p{L}\p{N}]/u;
const NUMBER = /^[-\u2212+]?\d+$/;
const ALT = /\salt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;

/** Character references, which are not yet decoded where words are sought. */
const REFERENCES = /&#?\w{1,31};?/g;
const TORN_TAG = /<[^<>]*$/;

/**
 * The text of a heading as a reader of the page sees it, at most 200 characters: without tags, comments, and the
 * marks that link a heading to itself, with character references decoded, and with single spaces.
 *
 * @param decode decodes character references
 */
export function wordsOf(text: string, start: number, end: number, decode: (text: string) => string): string {
  const isTorn = end - start > MAX_READ;
  const html = isTorn ? text.slice(start, start + MAX_READ).replace(TORN_TAG, '') : text.slice(start, end);
  const read = (keepsLinks: boolean) => plain(decode(new Words(html, keepsLinks).read()));
  // A heading may be nothing but a link to itself.
  const whole = read(false) || read(true);
  return whole.length <= MAX_CHARACTERS
    ? whole
    : Array.from(whole).slice(0, MAX_CHARACTERS).join('').trimEnd();
}

function plain(text: string): string {
  return text
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toWellFormed();
}

interface Open {
  readonly name: string;
  readonly tag: string;
  /** Where its text begins. */
  readonly start: number;
  readonly isLeftOut: boolean;
}

/** Reads the text between the tags of a heading. */
class Words {
  readonly #html: string;
  readonly #keepsLinks: boolean;
  #text = '';
  /** The open elements that do something to their text, outermost first. */
  readonly #open: Open[] = [];

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
    const isLeftOut = NOT_SHOWN.has(name) || HIDDEN.test(tag) || ASIDE.test(tag);
    this.#open.push({ name, tag, start: this.#text.length, isLeftOut });
  }

  #close(name: string): void {
    const index = this.#open.findLastIndex((open) => open.name === name);
    const element = this.#open[index];
    if (element === undefined) return;
    this.#open.length = index;
    const own = this.#text.slice(element.start);
    this.#text = this.#text.slice(0, element.start) + this.#shown(element, own);
    if (APART.has(name) || BLOCKS.has(name)) this.#text += ' ';
  }

  /** What is shown of the text of an element. */
  #shown({ name, tag, isLeftOut }: Open, own: string): string {
    if (isLeftOut) return '';
    if (name === 'sup' && NUMBER.test(own.trim())) return `^${own.trim()}`;
    if (name === 'rt') return `(${own})`;
    if (name !== 'a' || !TO_PAGE.test(tag)) return own;
    const isMark = !HAS_WORDS.test(own.replace(REFERENCES, ''));
    return isMark || (PERMALINK.test(tag) && !this.#keepsLinks) ? '' : own;
  }
}

function altOf(tag: string): string {
  const [, double, single, bare] = ALT.exec(tag) ?? [];
  return double ?? single ?? bare ?? '';
}
