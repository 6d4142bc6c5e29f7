import { letterNumeral, romanNumeral } from '../../toolkit/markdown/index.ts';
import { childOf, type Element, elementsOf } from './tree.ts';

export interface ParagraphStyle {
  /** The level from 1; 0 if its paragraphs are not headings. */
  readonly heading: number;
  readonly isTitle: boolean;
  readonly isHidden: boolean;
  readonly list: string | undefined;
}

export interface TextStyle {
  /** Undefined if the style does not say so: an outer style does. */
  readonly isBold?: boolean;
  readonly isItalic?: boolean;
  readonly isStruck?: boolean;
  readonly isRaised?: boolean;
  readonly isHidden?: boolean;
}

export interface ListLevel {
  /** `1`, `a`, `A`, `i` or `I`; empty: no number; undefined: a bullet. */
  readonly format: string | undefined;
  readonly prefix: string;
  readonly suffix: string;
  readonly start: number;
  /** How many levels the label shows: `2` in `1.2`. */
  readonly shown: number;
}

const MAX_BASES = 20;
const MAX_LEVELS = 10;
const TITLES: Readonly<Record<string, number>> = { Title: 1, Subtitle: 2 };
const NO_STYLE: ParagraphStyle = { heading: 0, isTitle: false, isHidden: false, list: undefined };

/** The styles of a document. An automatic style replaces one of the same name. */
export class Styles {
  readonly #styles = new Map<string, Element>();
  readonly #lists = new Map<string, readonly (ListLevel | undefined)[]>();
  readonly #paragraphs = new Map<string, ParagraphStyle>();
  readonly #texts = new Map<string, TextStyle>();
  outline: readonly (ListLevel | undefined)[] = [];
  /** Width and height of a page in millimetres, by the name of its layout. */
  readonly pages = new Map<string, readonly [width: number, height: number]>();

  add(element: Element): void {
    const { name, attributes } = element;
    const id = attributes['style:name'] ?? '';
    if (name === 'style') this.#styles.set(`${attributes['style:family']} ${id}`, element);
    else if (name === 'list-style') this.#lists.set(id, levelsOf(element));
    else if (name === 'outline-style') this.outline = levelsOf(element);
    else if (name === 'page-layout') {
      const page = childOf(element, 'page-layout-properties')?.attributes ?? {};
      this.pages.set(id, [lengthOf(page['fo:page-width']), lengthOf(page['fo:page-height'])]);
    }
  }

  paragraph(id: string | undefined): ParagraphStyle {
    if (id === undefined) return NO_STYLE;
    const known = this.#paragraphs.get(id);
    if (known !== undefined) return known;
    const chain = this.#chain('paragraph', id);
    const names = chain.map(({ attributes }) => attributes['style:name'] ?? '');
    const outline = chain.map(({ attributes }) => attributes['style:default-outline-level']).find(isGiven);
    const named = names.map((name) => TITLES[name]).find((level) => level !== undefined);
    const style: ParagraphStyle = {
      heading: Number(outline) || (named ?? 0),
      isTitle: names.includes('Title'),
      isHidden: textStyleOf(chain).isHidden === true,
      list: chain.map(({ attributes }) => attributes['style:list-style-name']).find(isGiven),
    };
    this.#paragraphs.set(id, style);
    return style;
  }

  text(id: string | undefined): TextStyle {
    if (id === undefined) return {};
    const style = this.#texts.get(id) ?? textStyleOf(this.#chain('text', id));
    this.#texts.set(id, style);
    return style;
  }

  /** The levels of a list style; undefined if there is none of the name. */
  list(id: string): readonly (ListLevel | undefined)[] | undefined {
    return this.#lists.get(id);
  }

  /** A property of a style that belongs to a table, a section or a slide. */
  property(family: string, id: string | undefined, name: string): string | undefined {
    if (id === undefined) return undefined;
    const properties = this.#chain(family, id).flatMap(elementsOf);
    return properties.map(({ attributes }) => attributes[name]).find(isGiven);
  }

  #chain(family: string, id: string): Element[] {
    const chain: Element[] = [];
    for (let next: string | undefined = id; next !== undefined && chain.length < MAX_BASES; ) {
      const style = this.#styles.get(`${family} ${next}`);
      if (style === undefined) break;
      chain.push(style);
      next = style.attributes['style:parent-style-name'];
    }
    return chain;
  }
}

const isGiven = (value: string | undefined): value is string => value !== undefined && value !== '';

function textStyleOf(chain: readonly Element[]): TextStyle {
  const properties = chain.flatMap((style) => childOf(style, 'text-properties') ?? []);
  const find = (name: string, is: (value: string) => boolean): boolean | undefined => {
    const value = properties.map(({ attributes }) => attributes[name]).find(isGiven);
    return value === undefined ? undefined : is(value);
  };
  const found = {
    isBold: find('fo:font-weight', (value) => value === 'bold' || Number(value) >= BOLD),
    isItalic: find('fo:font-style', (value) => value !== 'normal'),
    isStruck: find('style:text-line-through-style', (value) => value !== 'none'),
    isRaised: find('style:text-position', (value) => /^(?:super|[1-9])/.test(value)),
    isHidden: find('text:display', (value) => value === 'none'),
  };
  return Object.fromEntries(Object.entries(found).filter(([, is]) => is !== undefined));
}

const BOLD = 600;

function levelsOf(style: Element): (ListLevel | undefined)[] {
  const levels = new Array<ListLevel | undefined>(MAX_LEVELS).fill(undefined);
  for (const { name, attributes } of elementsOf(style)) {
    const level = Number(attributes['text:level'] ?? 1) - 1;
    if (!(level in levels)) continue;
    const isNumber = name.endsWith('-number') || name === 'outline-level-style';
    levels[level] = {
      format: isNumber ? (attributes['style:num-format'] ?? '') : undefined,
      prefix: attributes['style:num-prefix'] ?? '',
      suffix: attributes['style:num-suffix'] ?? '',
      start: numberOf(attributes['text:start-value'], 1),
      shown: numberOf(attributes['text:display-levels'], 1),
    };
  }
  return levels;
}

export function numberOf(written: string | undefined, otherwise: number): number {
  return written !== undefined && /^\d{1,9}$/.test(written) ? Number(written) : otherwise;
}

/** The label of an item, such as `2.1.`; empty for a bullet, or if the level has no number. */
export function labelOf(
  levels: readonly (ListLevel | undefined)[],
  level: number,
  counts: readonly (number | undefined)[],
): string {
  const own = levels[level];
  if (own?.format === undefined || own.format === '') return '';
  const numbers: string[] = [];
  for (let at = Math.max(level - Math.max(own.shown, 1) + 1, 0); at <= level; at++) {
    const format = levels[at]?.format;
    if (format) numbers.push(numeral(format, counts[at] ?? levels[at]?.start ?? 1));
  }
  return `${own.prefix}${numbers.join('.')}${own.suffix}`.trim();
}

function numeral(format: string, number: number): string {
  if (format === 'i') return romanNumeral(number);
  if (format === 'I') return romanNumeral(number).toUpperCase();
  if (format === 'a') return letterNumeral(number);
  return format === 'A' ? letterNumeral(number).toUpperCase() : String(number);
}

const MILLIMETRES: Readonly<Record<string, number>> = {
  mm: 1,
  cm: 10,
  in: 25.4,
  pt: 25.4 / 72,
  pc: 25.4 / 6,
  px: 25.4 / 96,
};

/** A length such as `2.5cm` in millimetres; NaN if it is invalid. */
export function lengthOf(written: string | undefined): number {
  const [, number, unit = ''] = /^(-?\d{0,9}(?:\.\d{1,15})?)([a-z]{2})$/.exec(written ?? '') ?? [];
  return Number(number || Number.NaN) * (MILLIMETRES[unit] ?? Number.NaN);
}
