import { attributeOf, type Element } from './nodes.ts';

export type Finish = (text: string, element: Element) => string;

interface Open {
  readonly element: Element;
  readonly finish: Finish;
  start: number;
  /** Whether a block has ended inside the element. */
  isBroken: boolean;
}

const SPACES = /[\t\n\f\r\u00a0][ \t\n\f\r\u00a0]*| [ \t\n\f\r\u00a0]+/g;
/** What a text that is written as it is does not have. */
const NOT_PLAIN = /[\t\n\f\r\u00a0\u00ad<&\\]| {2}/;
const SOFT_HYPHENS = /\u00ad/g;
/** UTF-16 units processed per step, to limit the memory that matches take. */
const SLICE = 1 << 16;
/** Matches characters that would begin a tag or character reference, and backslashes before them. */
const MARKUP = /\\(?=[<&])|<(?=[a-z/!?]|$)|&(?=#?\w+;)/gi;

export class Inline {
  #pieces: string[] = [];
  #endsInSpace = true;
  readonly #open: Open[] = [];

  text(value: string): void {
    for (let at = 0; at < value.length; at += SLICE) this.#slice(value.slice(at, at + SLICE));
  }

  #slice(value: string): void {
    const isPlain = !NOT_PLAIN.test(value);
    const spaced = isPlain ? value : value.replace(SPACES, ' ').replace(SOFT_HYPHENS, '');
    const isCode = !isPlain && this.#open.some(({ finish }) => finish === codeSpan);
    const own = this.#endsInSpace && spaced.startsWith(' ') ? spaced.slice(1) : spaced;
    if (own !== '') this.#put(isCode || isPlain ? own : own.replace(MARKUP, '\\$&'));
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

  /** Returns the text of the current block and begins the next block, in which open elements continue. */
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
    this.#endsInSpace = /\s/.test(piece.slice(-1));
  }

  #finish({ element, finish, start }: Open): void {
    const text = this.#pieces.splice(start).join('');
    const inner = text.trim();
    const finished = inner === '' ? '' : finish(inner, element);
    const before = /^\s/.test(text) ? ' ' : '';
    const after = inner !== '' && /\s$/.test(text) ? ' ' : '';
    const last = this.#pieces.at(-1);
    // Adjacent code spans are joined, because their touching backticks would form one longer delimiter.
    if (finish === codeSpan && before === '' && last?.endsWith('`') === true && finished.startsWith('`'))
      this.#pieces[this.#pieces.length - 1] = last.slice(0, -1) + finished.slice(1) + after;
    else this.#pieces.push(before + finished + after);
    const end = before + finished + after;
    if (end !== '') this.#endsInSpace = end.endsWith(' ');
  }
}

/** A code span, delimited by more backticks than any run of backticks in the text. */
export const codeSpan: Finish = (text) => {
  let most = 1;
  for (const [run] of text.matchAll(/`+/g)) most = Math.max(most, run.length + 1);
  const ticks = '`'.repeat(most);
  const pad = most > 1 ? ' ' : '';
  return `${ticks}${pad}${text.replaceAll('\n', ' ')}${pad}${ticks}`;
};

/** Addresses that are valid outside the site, and short enough not to be noise. */
const ADDRESS = /^(?:https?:\/\/|mailto:)[^\s()<>[\]]{1,150}$/i;
const TRACKING = /(?<=[?&])(?:utm_\w+|fbclid|gclid|mc_cid|mc_eid|igshid)=[^&#]*&?/gi;
const HAS_WORDS = /[\p{L}\p{N}]/u;

const hrefOf = (link: Element): string => attributeOf(link, 'href')?.trim() ?? '';

/** Drops a link within the page if its text has no words, such as an anchor beside a heading. */
export const linkText: Finish = (text, element) =>
  !HAS_WORDS.test(text) && hrefOf(element).startsWith('#') ? '' : text;

export const link: Finish = (text, element) => {
  const href = hrefOf(element);
  const address = href.length > MAX_HREF_LENGTH ? '' : href.replace(TRACKING, '').replace(/[?&]$/, '');
  const isLink = ADDRESS.test(address) && !/[[\]\n]/.test(text) && !text.includes(address);
  return isLink ? `[${text}](${address})` : linkText(text, element);
};
/** Maximum UTF-16 units of an address, including tracking parameters. */
const MAX_HREF_LENGTH = 1000;

/** Marks a raised number with `^`, because it is an exponent or a note mark. */
export const superscript: Finish = (text) => (/^[-\u2212+]?\d+$/.test(text) ? `^${text}` : text);

export const inBrackets: Finish = (text) => `(${text})`;
