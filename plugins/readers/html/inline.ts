import { attributeOf, type Element } from './page.ts';

export type Finish = (text: string, element: Element) => string;

interface Open {
  readonly element: Element;
  readonly finish: Finish;
  /** The index of its first piece. */
  start: number;
  /** Whether a block has ended within it. */
  isBroken: boolean;
}

/** White space that a browser shows as one space, and no-break spaces. */
const SPACES = /[\t\n\f\r\u00a0][ \t\n\f\r\u00a0]*| [ \t\n\f\r\u00a0]+/g;
const SOFT_HYPHENS = /\u00ad/g;
/** UTF-16 units that are replaced together, which bounds the memory of the matches. */
const SLICE = 1 << 16;
/** Signs that would begin a tag or a character reference, and backslashes before them. */
const MARKUP = /\\(?=[<&])|<(?=[a-z/!?]|$)|&(?=#?\w+;)/gi;

/** Collects the text of a block or a cell, with single spaces. */
export class Inline {
  #pieces: string[] = [];
  #endsInSpace = true;
  /** The open elements, at most one for each `Finish`. */
  readonly #open: Open[] = [];

  text(value: string): void {
    for (let at = 0; at < value.length; at += SLICE) this.#slice(value.slice(at, at + SLICE));
  }

  #slice(value: string): void {
    const spaced = value.replace(SPACES, ' ').replace(SOFT_HYPHENS, '');
    const isCode = this.#open.some(({ finish }) => finish === codeSpan);
    const own = this.#endsInSpace && spaced.startsWith(' ') ? spaced.slice(1) : spaced;
    if (own !== '') this.#put(isCode ? own : own.replace(MARKUP, '\\$&'));
  }

  space(): void {
    if (!this.#endsInSpace) this.#put(' ');
  }

  lineBreak(): void {
    this.#put('\n');
  }

  open(element: Element, finish: Finish): void {
    if (this.#open.some((one) => one.finish === finish)) return;
    this.#open.push({ element, finish, start: this.#pieces.length, isBroken: false });
  }

  close(element: Element): void {
    const last = this.#open.at(-1);
    if (last?.element !== element) return;
    this.#open.pop();
    if (!last.isBroken || last.finish === codeSpan) this.#finish(last);
  }

  /** Returns the text so far, and begins the next block, in which open elements continue. */
  take(): string {
    for (const one of this.#open.toReversed()) {
      if (one.finish === codeSpan) this.#finish(one);
      one.start = 0;
      one.isBroken = true;
    }
    const text = this.#pieces.join('').replaceAll(' \n', '\n').trim();
    this.#pieces = [];
    this.#endsInSpace = true;
    return text;
  }

  #put(piece: string): void {
    this.#pieces.push(piece);
    this.#endsInSpace = /\s$/.test(piece);
  }

  /** Puts the finished text in place of an element's pieces; spaces at its edges stay outside. */
  #finish({ element, finish, start }: Open): void {
    const text = this.#pieces.splice(start).join('');
    const inner = text.trim();
    const finished = inner === '' ? '' : finish(inner, element);
    const before = /^\s/.test(text) ? ' ' : '';
    const after = inner !== '' && /\s$/.test(text) ? ' ' : '';
    const last = this.#pieces.at(-1);
    // Neighbouring code spans are joined: their backticks would form a longer mark.
    if (finish === codeSpan && before === '' && last?.endsWith('`') === true && finished.startsWith('`'))
      this.#pieces[this.#pieces.length - 1] = last.slice(0, -1) + finished.slice(1) + after;
    else this.#pieces.push(before + finished + after);
    const end = before + finished + after;
    if (end !== '') this.#endsInSpace = end.endsWith(' ');
  }
}

/** A code span, in more backticks than any run of them in the text. */
export const codeSpan: Finish = (text) => {
  let most = 1;
  for (const [run] of text.matchAll(/`+/g)) most = Math.max(most, run.length + 1);
  const ticks = '`'.repeat(most);
  const pad = most > 1 ? ' ' : '';
  return `${ticks}${pad}${text.replaceAll('\n', ' ')}${pad}${ticks}`;
};

/** Addresses that are valid outside the site, and not so long that they are noise. */
const ADDRESS = /^(?:https?:\/\/|mailto:)[^\s()<>[\]]{1,150}$/i;
/** Parameters that track visitors. */
const TRACKING = /(?<=[?&])(?:utm_\w+|fbclid|gclid|mc_cid|mc_eid|igshid)=[^&#]*&?/gi;
const HAS_WORDS = /[\p{L}\p{N}]/u;

const hrefOf = (link: Element): string => attributeOf(link, 'href')?.trim() ?? '';

/** The text of a link, unless it has no words and leads to the same page, like anchors beside headings. */
export const linkText: Finish = (text, element) =>
  !HAS_WORDS.test(text) && hrefOf(element).startsWith('#') ? '' : text;

/** A link with its address, if both can be written. */
export const link: Finish = (text, element) => {
  const href = hrefOf(element);
  const address = href.length > MAX_HREF_LENGTH ? '' : href.replace(TRACKING, '').replace(/[?&]$/, '');
  const isLink = ADDRESS.test(address) && !/[[\]\n]/.test(text) && !text.includes(address);
  return isLink ? `[${text}](${address})` : linkText(text, element);
};
/** Units of an address before tracking parameters are removed. */
const MAX_HREF_LENGTH = 1000;

/** A raised number is an exponent or the mark of a note. */
export const superscript: Finish = (text) => (/^[-\u2212+]?\d+$/.test(text) ? `^${text}` : text);

export const inBrackets: Finish = (text) => `(${text})`;
