import { XmlCursor } from './cursor.ts';

/** How a run is written: the values of its switches, such as `w:b`, by name. A switch without a value is `''`. */
export interface RunSwitches {
  bold?: string;
  italic?: string;
  strike?: string;
  doubleStrike?: string;
  vanish?: string;
  align?: string;
  styleId?: string;
}

/** A style of paragraphs or runs, including inherited properties. */
export interface Style {
  readonly id: string;
  /** The level from 1; 0 if its paragraphs are not headings. */
  readonly heading: number;
  readonly isTitle: boolean;
  readonly numId: string | undefined;
  readonly level: string | undefined;
  readonly runs: RunSwitches;
}

interface WrittenStyle {
  name: string;
  basedOn: string | undefined;
  numId: string | undefined;
  level: string | undefined;
  outlineLevel: string | undefined;
  runs: RunSwitches;
}

const HEADING = /^heading ([1-9])$/i;
/** Heading levels by the name of a style. Word stores the English names in all languages. */
const TITLES: Readonly<Record<string, number>> = { title: 1, subtitle: 2 };
const BODY_TEXT = 9;
const MAX_BASES = 20;

/** The styles of a document by their ids. */
export class Styles {
  readonly #written = new Map<string, WrittenStyle>();
  readonly #styles = new Map<string, Style>();

  /** @param xml `word/styles.xml`; empty if there is none */
  constructor(xml: string) {
    if (xml === '') return;
    const cursor = new XmlCursor(xml);
    for (cursor.next(0); cursor.next(1); )
      if (cursor.name === 'w:style') {
        const id = cursor.attribute('styleId') ?? '';
        if (!this.#written.has(id)) this.#written.set(id, readStyle(cursor));
      }
  }

  get(id: string): Style | undefined {
    const known = this.#styles.get(id);
    if (known !== undefined || !this.#written.has(id)) return known;
    const style = this.#inherited(id);
    this.#styles.set(id, style);
    return style;
  }

  #inherited(id: string): Style {
    const chain: WrittenStyle[] = [];
    for (let next: string | undefined = id; next !== undefined && chain.length < MAX_BASES; ) {
      const style = this.#written.get(next);
      if (style === undefined) break;
      chain.push(style);
      next = style.basedOn;
    }
    const runs = Object.assign({}, ...chain.map((style) => style.runs).reverse());
    return {
      id,
      heading: chain.map(headingLevel).find((level) => level !== undefined) ?? 0,
      isTitle: chain.some(({ name }) => name === 'title'),
      numId: chain.find(({ numId }) => numId !== undefined)?.numId,
      level: chain.find(({ level }) => level !== undefined)?.level,
      runs,
    };
  }
}

function readStyle(cursor: XmlCursor): WrittenStyle {
  const style: WrittenStyle = {
    name: '',
    basedOn: undefined,
    numId: undefined,
    level: undefined,
    outlineLevel: undefined,
    runs: {},
  };
  const { depth } = cursor;
  while (cursor.next(depth)) {
    if (cursor.name === 'w:name') style.name = valOf(cursor).toLowerCase();
    else if (cursor.name === 'w:basedOn') style.basedOn = valOf(cursor);
    else if (cursor.name === 'w:pPr') readParagraphStyle(cursor, style);
    else if (cursor.name === 'w:rPr') style.runs = readSwitches(cursor);
  }
  return style;
}

function readParagraphStyle(cursor: XmlCursor, style: WrittenStyle): void {
  const { depth } = cursor;
  while (cursor.next(depth)) {
    if (cursor.name === 'w:outlineLvl') style.outlineLevel = valOf(cursor);
    else if (cursor.name === 'w:numPr') readListPlace(cursor, style);
  }
}

/** Reads which list a paragraph belongs to, and at which level. */
export function readListPlace(
  cursor: XmlCursor,
  place: { numId: string | undefined; level: string | undefined },
): void {
  const { depth } = cursor;
  while (cursor.next(depth)) {
    if (cursor.name === 'w:numId') place.numId ??= valOf(cursor);
    else if (cursor.name === 'w:ilvl') place.level ??= valOf(cursor);
  }
}

/** Reads the properties of a run, the current element. */
export function readSwitches(cursor: XmlCursor): RunSwitches {
  const switches: RunSwitches = {};
  const { depth } = cursor;
  while (cursor.next(depth)) {
    const key = SWITCHES[cursor.name];
    if (key !== undefined) switches[key] ??= valOf(cursor);
  }
  return switches;
}

const SWITCHES: Readonly<Record<string, keyof RunSwitches | undefined>> = {
  'w:b': 'bold',
  'w:i': 'italic',
  'w:strike': 'strike',
  'w:dstrike': 'doubleStrike',
  'w:vanish': 'vanish',
  'w:vertAlign': 'align',
  'w:rStyle': 'styleId',
};

/** Whether a switch is on. A switch without a value is on. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && !['0', 'false', 'off', 'none'].includes(value);
}

/** The `val` of the current element; empty without one. */
export const valOf = (cursor: XmlCursor): string => cursor.attribute('val') ?? '';

function headingLevel({ name, outlineLevel }: WrittenStyle): number | undefined {
  const named = HEADING.exec(name)?.[1] ?? TITLES[name];
  return named === undefined ? levelOf(outlineLevel) : Number(named);
}

/** The heading level from 1; 0 for body text; undefined if there is no outline level. */
export function levelOf(outlineLevel: string | undefined): number | undefined {
  if (outlineLevel === undefined) return undefined;
  const level = Number(outlineLevel);
  return level >= 0 && level < BODY_TEXT ? level + 1 : 0;
}
