import { letterNumeral, romanNumeral } from '../../toolkit/markdown/index.ts';
import { decodeReferences } from '../../toolkit/markup/index.ts';
import { attributeOf, contentOf, elementsIn, isOn, valueIn } from './elements.ts';

/** A style of paragraphs or runs, including inherited properties. */
export interface Style {
  readonly id: string;
  /** The level from 1; 0 if its paragraphs are not headings. */
  readonly heading: number;
  readonly isTitle: boolean;
  readonly numId: string | undefined;
  readonly level: string | undefined;
  readonly runs: string;
}

const HEADING = /^heading ([1-9])$/i;
/** Heading levels by the name of a style. Word stores the English names in all languages. */
const TITLES: Readonly<Record<string, number>> = { title: 1, subtitle: 2 };
const BODY_TEXT = 9;
const MAX_BASES = 20;

export function readStyles(xml: string): ReadonlyMap<string, Style> {
  const written = new Map<string, string>();
  for (const { tag, inner } of elementsIn(xml, 'w:style')) {
    const id = attributeOf(tag, 'styleId') ?? '';
    if (!written.has(id)) written.set(id, inner);
  }
  return new Map([...written.keys()].map((id) => [id, styleOf(id, written)]));
}

function styleOf(id: string, written: ReadonlyMap<string, string>): Style {
  const chain: string[] = [];
  for (let next: string | undefined = id; next !== undefined && chain.length < MAX_BASES; ) {
    const inner = written.get(next);
    if (inner === undefined) break;
    chain.push(inner);
    next = valueIn(inner, 'w:basedOn');
  }
  const names = chain.map((inner) => valueIn(inner, 'w:name')?.toLowerCase() ?? '');
  const first = (name: string): string | undefined =>
    chain.map((inner) => valueIn(inner, name)).find((value) => value !== undefined);
  const level = chain
    .map((inner, index) => headingLevel(inner, names[index]))
    .find((one) => one !== undefined);
  return {
    id,
    heading: level ?? 0,
    isTitle: names.includes('title'),
    numId: first('w:numId'),
    level: first('w:ilvl'),
    runs: chain.map((inner) => contentOf(inner, 'w:rPr') ?? '').join(''),
  };
}

function headingLevel(inner: string, name = ''): number | undefined {
  const named = HEADING.exec(name)?.[1] ?? TITLES[name];
  return named === undefined ? outlineLevel(inner) : Number(named);
}

/** The heading level from 1; 0 for body text; undefined if the properties have no outline level. */
export function outlineLevel(properties: string): number | undefined {
  const value = valueIn(properties, 'w:outlineLvl');
  if (value === undefined) return undefined;
  const level = Number(value);
  return level >= 0 && level < BODY_TEXT ? level + 1 : 0;
}

export interface ListMark {
  /** Counted from 0. */
  readonly level: number;
  /** For example `3.`, `(a)` or `Article 5`; empty for a bullet. */
  readonly label: string;
}

interface Level {
  readonly start: number;
  readonly format: string;
  /** The template of the label; `%1` is the number of the first level. */
  readonly text: string;
  /** Paragraphs of levels 1 to `restart` restart the numbers; 0: none does; undefined: outer levels do. */
  readonly restart: number | undefined;
  readonly isDecimal: boolean;
  readonly styleId: string | undefined;
}

interface List {
  /** Lists with the same definition continue each other's numbers. */
  readonly definition: string;
  readonly levels: readonly (Level | undefined)[];
  /** First numbers by level, only for levels whose first number differs from the definition. */
  readonly starts: Map<number, number>;
}

const LEVELS = 9;

export class Numbering {
  readonly #lists: ReadonlyMap<string, List>;
  readonly #counts = new Map<string, (number | undefined)[]>();

  /** @param xml `word/numbering.xml`; empty if there is none */
  constructor(xml: string, styles: ReadonlyMap<string, Style>) {
    this.#lists = readLists(xml, styles);
  }

  /** The mark of the next paragraph of list `numId`; undefined for an unknown list, such as `0`. */
  next(numId: string, written: string | undefined, styleId: string | undefined): ListMark | undefined {
    const list = this.#lists.get(numId);
    if (list === undefined) return undefined;
    const ofStyle = list.levels.findIndex(
      (level) => level?.styleId !== undefined && level.styleId === styleId,
    );
    const level = written === undefined ? Math.max(ofStyle, 0) : Number(written);
    const rules = list.levels[level];
    if (rules === undefined || rules.text === '') return undefined;
    if (rules.format === 'bullet') return { level, label: '' };
    const counts = this.#count(list, level, rules);
    const label = rules.text.replace(/%([1-9])/g, (_, digit) => {
      const other = list.levels[Number(digit) - 1];
      const number = counts[Number(digit) - 1] ?? other?.start ?? 1;
      return numberIn(rules.isDecimal ? 'decimal' : (other?.format ?? 'decimal'), number);
    });
    return { level, label: label.trim() };
  }

  #count({ definition, levels, starts }: List, level: number, rules: Level): (number | undefined)[] {
    const counts = this.#counts.get(definition) ?? new Array<number | undefined>(LEVELS).fill(undefined);
    this.#counts.set(definition, counts);
    const before = counts[level];
    counts[level] = starts.get(level) ?? (before === undefined ? rules.start : before + 1);
    starts.delete(level);
    for (let upper = 0; upper < level; upper++) counts[upper] ??= levels[upper]?.start ?? 1;
    for (let lower = level + 1; lower < LEVELS; lower++)
      if (level < (levels[lower]?.restart ?? LEVELS)) counts[lower] = undefined;
    return counts;
  }
}

function readLists(xml: string, styles: ReadonlyMap<string, Style>): Map<string, List> {
  const definitions = new Map<string, string>();
  for (const { tag, inner } of elementsIn(xml, 'w:abstractNum'))
    definitions.set(attributeOf(tag, 'abstractNumId') ?? '', inner);
  const written = new Map<string, string>();
  for (const { tag, inner } of elementsIn(xml, 'w:num')) written.set(attributeOf(tag, 'numId') ?? '', inner);
  const levels = new Map([...definitions].map(([id, inner]) => [id, readLevels(inner)]));
  const definitionOf = (inner: string): string => {
    const id = valueIn(inner, 'w:abstractNumId') ?? '';
    const linked = styles.get(valueIn(definitions.get(id) ?? '', 'w:numStyleLink') ?? '')?.numId;
    const other = linked === undefined ? undefined : written.get(linked);
    return other === undefined ? id : (valueIn(other, 'w:abstractNumId') ?? id);
  };
  return new Map(
    [...written].map(([numId, inner]) => [numId, listOf(inner, definitionOf(inner), levels)] as const),
  );
}

function listOf(
  inner: string,
  definition: string,
  definitions: ReadonlyMap<string, readonly (Level | undefined)[]>,
): List {
  const levels = [...(definitions.get(definition) ?? [])];
  const starts = new Map<number, number>();
  for (const { tag, inner: override } of elementsIn(inner, 'w:lvlOverride')) {
    const [changed] = readLevels(override).filter((level) => level !== undefined);
    const level = Number(attributeOf(tag, 'ilvl'));
    if (changed !== undefined) levels[level] = changed;
    const start = valueIn(override, 'w:startOverride');
    if (start !== undefined) starts.set(level, countOf(start));
  }
  return { definition, levels, starts };
}

function readLevels(xml: string): (Level | undefined)[] {
  const levels = new Array<Level | undefined>(LEVELS).fill(undefined);
  for (const { tag, inner } of elementsIn(xml, 'w:lvl')) {
    const restart = valueIn(inner, 'w:lvlRestart');
    const format = valueIn(inner, 'w:numFmt') ?? 'decimal';
    const level = Number(attributeOf(tag, 'ilvl') ?? 0);
    if (!(level in levels)) continue;
    levels[level] = {
      start: countOf(valueIn(inner, 'w:start') ?? '1'),
      format,
      text: format === 'bullet' ? format : decodeReferences(valueIn(inner, 'w:lvlText') ?? ''),
      restart: restart === undefined ? undefined : countOf(restart),
      isDecimal: isOn(inner, 'w:isLgl'),
      styleId: valueIn(inner, 'w:pStyle'),
    };
  }
  return levels;
}

const countOf = (written: string): number => Math.max(Math.trunc(Number(written)) || 0, 0);

function numberIn(format: string, number: number): string {
  if (format === 'decimalZero') return String(number).padStart(2, '0');
  if (format === 'lowerRoman') return romanNumeral(number);
  if (format === 'upperRoman') return romanNumeral(number).toUpperCase();
  if (format === 'lowerLetter') return letterNumeral(number);
  return format === 'upperLetter' ? letterNumeral(number).toUpperCase() : String(number);
}
