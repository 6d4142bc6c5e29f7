import { letterNumeral, romanNumeral } from '../../toolkit/markdown/index.ts';
import { XmlCursor } from './cursor.ts';
import { isOn, type Styles, valOf } from './styles.ts';

export interface ListMark {
  /** Counted from 0. */
  readonly level: number;
  /** For example `3.`, `(a)` or `Article 5`; empty for a bullet. */
  readonly label: string;
}

interface Level {
  start: number;
  format: string;
  /** The template of the label; `%1` is the number of the first level. */
  text: string;
  /** Paragraphs of levels 1 to `restart` restart the numbers; 0: none does; undefined: outer levels do. */
  restart: number | undefined;
  isDecimal: boolean;
  styleId: string | undefined;
}

type Levels = (Level | undefined)[];

interface List {
  /** Lists with the same definition continue each other's numbers. */
  readonly definition: string;
  readonly levels: readonly (Level | undefined)[];
  /** First numbers by level, only for levels whose first number differs from the definition. */
  readonly starts: Map<number, number>;
}

interface Definition {
  readonly levels: Levels;
  /** The style whose list has the levels. */
  linkedStyle: string | undefined;
}

interface WrittenList {
  definition: string;
  readonly overrides: { readonly level: number; readonly changed: Level | undefined }[];
  readonly starts: Map<number, number>;
}

const LEVELS = 9;

/** Counts the items of all lists, as Word does. */
export class Numbering {
  readonly #lists: ReadonlyMap<string, List>;
  readonly #counts = new Map<string, (number | undefined)[]>();

  /** @param xml `word/numbering.xml`; empty if there is none */
  constructor(xml: string, styles: Styles) {
    this.#lists = xml === '' ? new Map() : readLists(new XmlCursor(xml), styles);
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

function readLists(cursor: XmlCursor, styles: Styles): Map<string, List> {
  const definitions = new Map<string, Definition>();
  const written = new Map<string, WrittenList>();
  for (cursor.next(0); cursor.next(1); ) {
    if (cursor.name === 'w:abstractNum')
      definitions.set(cursor.attribute('abstractNumId') ?? '', readDefinition(cursor));
    else if (cursor.name === 'w:num') written.set(cursor.attribute('numId') ?? '', readList(cursor));
  }
  const definitionOf = ({ definition }: WrittenList): string => {
    const linked = styles.get(definitions.get(definition)?.linkedStyle ?? '')?.numId;
    return linked === undefined ? definition : (written.get(linked)?.definition ?? definition);
  };
  return new Map(
    [...written].map(([numId, list]) => {
      const definition = definitionOf(list);
      const levels = [...(definitions.get(definition)?.levels ?? [])];
      for (const { level, changed } of list.overrides) if (changed !== undefined) levels[level] = changed;
      return [numId, { definition, levels, starts: list.starts }];
    }),
  );
}

function readDefinition(cursor: XmlCursor): Definition {
  const definition: Definition = { levels: emptyLevels(), linkedStyle: undefined };
  const { depth } = cursor;
  while (cursor.next(depth)) {
    if (cursor.name === 'w:lvl') readLevel(cursor, definition.levels);
    else if (cursor.name === 'w:numStyleLink') definition.linkedStyle ??= valOf(cursor);
  }
  return definition;
}

function readList(cursor: XmlCursor): WrittenList {
  const list: WrittenList = { definition: '', overrides: [], starts: new Map() };
  const { depth } = cursor;
  while (cursor.next(depth)) {
    if (cursor.name === 'w:abstractNumId') list.definition = valOf(cursor);
    else if (cursor.name === 'w:lvlOverride') readOverride(cursor, list);
  }
  return list;
}

function readOverride(cursor: XmlCursor, { overrides, starts }: WrittenList): void {
  const level = Number(cursor.attribute('ilvl'));
  const levels = emptyLevels();
  const { depth } = cursor;
  while (cursor.next(depth)) {
    if (cursor.name === 'w:startOverride') starts.set(level, countOf(valOf(cursor)));
    else if (cursor.name === 'w:lvl') readLevel(cursor, levels);
  }
  overrides.push({ level, changed: levels.find((changed) => changed !== undefined) });
}

const emptyLevels = (): Levels => new Array<Level | undefined>(LEVELS).fill(undefined);

function readLevel(cursor: XmlCursor, levels: Levels): void {
  const index = Number(cursor.attribute('ilvl') ?? 0);
  if (!(index in levels)) return;
  const level: Level = {
    start: 1,
    format: 'decimal',
    text: '',
    restart: undefined,
    isDecimal: false,
    styleId: undefined,
  };
  const { depth } = cursor;
  while (cursor.next(depth)) {
    const { name } = cursor;
    if (name === 'w:start') level.start = countOf(valOf(cursor));
    else if (name === 'w:numFmt') level.format = valOf(cursor);
    else if (name === 'w:lvlText') level.text = valOf(cursor);
    else if (name === 'w:lvlRestart') level.restart = countOf(valOf(cursor));
    else if (name === 'w:isLgl') level.isDecimal = isOn(valOf(cursor));
    else if (name === 'w:pStyle') level.styleId = valOf(cursor);
  }
  if (level.format === 'bullet') level.text = level.format;
  levels[index] = level;
}

const countOf = (written: string): number => Math.max(Math.trunc(Number(written)) || 0, 0);

function numberIn(format: string, number: number): string {
  if (format === 'decimalZero') return String(number).padStart(2, '0');
  if (format === 'lowerRoman') return romanNumeral(number);
  if (format === 'upperRoman') return romanNumeral(number).toUpperCase();
  if (format === 'lowerLetter') return letterNumeral(number);
  return format === 'upperLetter' ? letterNumeral(number).toUpperCase() : String(number);
}
