import { attributeOf, contentOf, elementsIn, valueIn } from './elements.ts';

/** What a style says of its paragraphs or runs, or one that it is based on. */
export interface Style {
  readonly id: string;
  /** From 1; 0 for a paragraph that is not a heading. */
  readonly heading: number;
  readonly isTitle: boolean;
  /** The list that its paragraphs belong to, and their level in it. */
  readonly numId: string | undefined;
  readonly level: string | undefined;
  /** The content of its `w:rPr` elements, its own before inherited ones. */
  readonly runs: string;
}

const HEADING = /^heading ([1-9])$/i;
/** By their English names, which Word writes in all languages. */
const TITLES: Readonly<Record<string, number>> = { title: 1, subtitle: 2 };
const BODY_TEXT = 9;
/** Styles that one is based on, through others. */
const MAX_BASES = 20;

/** Reads `word/styles.xml`: the styles by their ids. */
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

/** By its name or its level in the outline; 0 if it says that it is body text, undefined if it says neither. */
function headingLevel(inner: string, name = ''): number | undefined {
  const named = HEADING.exec(name)?.[1] ?? TITLES[name];
  return named === undefined ? outlineLevel(inner) : Number(named);
}

/** The level of a heading from 1, 0 for body text, undefined if these properties do not say. */
export function outlineLevel(properties: string): number | undefined {
  const value = valueIn(properties, 'w:outlineLvl');
  if (value === undefined) return undefined;
  const level = Number(value);
  return level >= 0 && level < BODY_TEXT ? level + 1 : 0;
}
