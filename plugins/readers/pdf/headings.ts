import { type Line, mostFrequent } from './lines.ts';
import type { Paragraph } from './paragraphs.ts';
import { levelOf } from './roles.ts';

export interface OutlineItem {
  readonly title: string;
  readonly items: readonly OutlineItem[];
}

/** The usual fonts of a file. */
interface Usual {
  readonly size: number;
  readonly font: string;
  /** The share of the text in each font, from 0 to 1. */
  readonly shares: ReadonlyMap<string, number>;
}

const MAX_LENGTH = 200;
const MAX_LENGTH_OF_FONT = 90;
const MAX_LINES = 4;
const MAX_DEPTH = 6;
const RARE = 0.12;
const BEGINNING = /^(?:\d+(?:\.\d+)*\.?\s|[A-Z]\.\s|[IVX]+\.\s|\p{Lu})/u;

/**
 * Sets the levels of headings: from the tags of the file, else from its outline, else by font size. Short lines in a rare
 * font are the lowest headings.
 */
export function findHeadings(paragraphs: readonly Paragraph[], outline: readonly OutlineItem[]): void {
  const usual = usualOf(paragraphs.flatMap(({ lines }) => lines));
  const titles = levelsOf(outline);
  const guessed = new Map<Paragraph, number>();
  for (const paragraph of paragraphs) {
    const [first] = paragraph.lines;
    const level = first?.block && levelOf(first.block);
    if (level !== undefined) paragraph.level = level;
    if (first === undefined || first.block !== undefined || !mayBeHeading(paragraph)) continue;
    const known = titles.get(plain(textOf(paragraph)));
    const size = rounded(first.size);
    if (known !== undefined) paragraph.level = known;
    else if (size >= usual.size * 1.12 + 0.2) guessed.set(paragraph, size);
    else if (size >= usual.size - 0.6 && isByFont(paragraph, usual)) guessed.set(paragraph, usual.size);
  }
  const sizes = [...new Set(guessed.values())].sort((a, b) => b - a);
  const ranks = new Map(sizes.map((size, index) => [size, Math.min(index + 1, MAX_DEPTH)]));
  for (const [paragraph, size] of guessed) paragraph.level = ranks.get(size) ?? MAX_DEPTH;
}

const rounded = (size: number): number => Math.round(size * 2) / 2;
const textOf = ({ lines }: Paragraph): string => lines.map(({ text }) => text).join(' ');
/** A title without its number, case and punctuation, for comparison. */
const plain = (title: string): string => title.toLowerCase().replace(/^[\d.\s]+|[^\p{L}\p{N}]/gu, '');

function usualOf(lines: readonly Line[]): Usual {
  const sizes = new Map<number, number>();
  const fonts = new Map<string, number>();
  let all = 0;
  for (const { text, size, font } of lines) {
    sizes.set(rounded(size), (sizes.get(rounded(size)) ?? 0) + text.length);
    fonts.set(font, (fonts.get(font) ?? 0) + text.length);
    all += text.length;
  }
  const shares = new Map(Array.from(fonts, ([font, count]) => [font, count / all]));
  return { size: mostFrequent(sizes) ?? 0, font: mostFrequent(fonts) ?? '', shares };
}

function levelsOf(outline: readonly OutlineItem[]): Map<string, number> {
  const levels = new Map<string, number>();
  let items = outline;
  for (let level = 1; level <= MAX_DEPTH && items.length > 0; level++) {
    for (const { title } of items) {
      const key = plain(title);
      if (key.length > 2 && !levels.has(key)) levels.set(key, level);
    }
    items = items.flatMap((item) => item.items);
  }
  return levels;
}

function mayBeHeading({ lines }: Paragraph): boolean {
  const length = lines.reduce((sum, { text }) => sum + text.length + 1, -1);
  return (
    lines.length <= MAX_LINES &&
    length <= MAX_LENGTH &&
    lines.every(({ cells, isFigure }) => cells <= 2 && !isFigure) &&
    lines.some(({ text }) => /\p{L}{2}/u.test(text))
  );
}

function isByFont(paragraph: Paragraph, { font, shares }: Usual): boolean {
  const text = textOf(paragraph);
  const isRare = (line: Line) =>
    line.isOneFont && line.cells === 1 && line.font !== font && (shares.get(line.font) ?? 0) < RARE;
  return (
    text.length < MAX_LENGTH_OF_FONT &&
    paragraph.lines.length <= 2 &&
    paragraph.lines.every(isRare) &&
    !/[.,;:]$/.test(text) &&
    BEGINNING.test(text)
  );
}
