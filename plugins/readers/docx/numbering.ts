import { decodeReferences } from '../../toolkit/markup/index.ts';
import { attributeOf, elementsIn, isOn, valueIn } from './elements.ts';
import type { Style } from './styles.ts';

/** How a paragraph of a list is marked: `isBullet` without a label. */
export interface ListMark {
  /** From 0. */
  readonly level: number;
  /** `3.`, `(a)`, `Article 5`. Empty if it has a bullet. */
  readonly label: string;
}

/** A level of a list. */
interface Level {
  readonly start: number;
  readonly format: string;
  /** The label, with `%1` for the number of the first level. */
  readonly text: string;
  /** The level, from 1, whose paragraphs let this one begin again; 0 if none does. */
  readonly restart: number | undefined;
  readonly isDecimal: boolean;
  /** The style whose paragraphs are on this level. */
  readonly styleId: string | undefined;
}

interface List {
  /** The list that it counts with: lists of one definition continue each other. */
  readonly definition: string;
  readonly levels: readonly (Level | undefined)[];
  /** Numbers with which levels begin again at their first paragraph of this list. */
  readonly starts: Map<number, number>;
}

const LEVELS = 9;

/** Counts the numbered paragraphs of a document in their order, as Word does when it shows them. */
export class Numbering {
  readonly #lists: ReadonlyMap<string, List>;
  readonly #counts = new Map<string, (number | undefined)[]>();

  /** @param xml `word/numbering.xml`; empty if there is none */
  constructor(xml: string, styles: ReadonlyMap<string, Style>) {
    this.#lists = readLists(xml, styles);
  }

  /** The mark of the next paragraph of a list. Undefined if it has none, such as those with the id 0. */
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
  /** A definition may be that of a style's list. */
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

const ROMAN: readonly (readonly [letters: string, value: number])[] = [
  ...([
    ['m', 1000],
    ['cm', 900],
    ['d', 500],
    ['cd', 400],
    ['c', 100],
    ['xc', 90],
  ] as const),
  ...([
    ['l', 50],
    ['xl', 40],
    ['x', 10],
    ['ix', 9],
    ['v', 5],
    ['iv', 4],
    ['i', 1],
  ] as const),
];
const LETTERS = 26;
/** Larger ones are decimal: their letters would be as many as a file likes. */
const MAX_LETTERED = 3999;

/** A number as Word writes it. Formats of other scripts are decimal. */
function numberIn(format: string, number: number): string {
  if (format === 'decimalZero') return String(number).padStart(2, '0');
  if (number < 1 || number > MAX_LETTERED) return String(number);
  if (format === 'lowerRoman') return roman(number);
  if (format === 'upperRoman') return roman(number).toUpperCase();
  if (format === 'lowerLetter') return letters(number);
  return format === 'upperLetter' ? letters(number).toUpperCase() : String(number);
}

function roman(number: number): string {
  let left = number;
  return ROMAN.map(([letters, value]) => {
    const count = Math.floor(left / value);
    left -= count * value;
    return letters.repeat(count);
  }).join('');
}

/** `z` is followed by `aa`, `bb`. */
function letters(number: number): string {
  const letter = String.fromCharCode('a'.charCodeAt(0) + ((number - 1) % LETTERS));
  return letter.repeat(Math.ceil(number / LETTERS));
}
