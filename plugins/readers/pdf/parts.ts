import type { Paragraph } from './paragraphs.ts';

/** A word and a number, such as `Exhibit 10.9` or `Anlage C`. */
const LABEL = /^(\p{L}{3,20})\s(\d{1,3}(?:[.-]\d{1,3}){0,2}|[A-Z])$/u;
const MIN_PARTS = 3;

interface Label {
  readonly paragraph: Paragraph;
  readonly numbers: readonly number[];
  /** Whether it is the first text of a page. */
  readonly isFirst: boolean;
}

/**
 * Finds the parts of a file that begin on pages of their own, as exhibits and annexes do: lines of the same word and a number
 * that rises, all of them at the top of pages. Captions are also elsewhere.
 */
export function findParts(paragraphs: readonly Paragraph[]): Set<Paragraph> {
  const byWord = new Map<string, Label[]>();
  let page = 0;
  for (const paragraph of paragraphs) {
    const [first, ...more] = paragraph.lines;
    if (first === undefined) continue;
    const isFirst = first.page !== page;
    page = first.page;
    const [, word, number = ''] = (more.length === 0 && !first.row && LABEL.exec(first.text.trim())) || [];
    if (word === undefined) continue;
    const key = `${word.toLowerCase()} ${/\d/.test(number)}`;
    const own = byWord.get(key) ?? [];
    byWord.set(key, own);
    own.push({ paragraph, numbers: numbersOf(number), isFirst });
  }
  const parts = [...byWord.values()].filter(
    (labels) =>
      labels.length >= MIN_PARTS &&
      labels.every(
        ({ numbers, isFirst }, at) => isFirst && (at === 0 || isAfter(numbers, labels[at - 1]?.numbers)),
      ),
  );
  return new Set(parts.flat().map(({ paragraph }) => paragraph));
}

const numbersOf = (number: string): number[] =>
  /^\d/.test(number) ? number.split(/[.-]/).map(Number) : [number.charCodeAt(0)];

function isAfter(numbers: readonly number[], before: readonly number[] = []): boolean {
  const at = numbers.findIndex((number, index) => number !== before[index]);
  return at !== -1 && (numbers[at] ?? 0) > (before[at] ?? 0);
}
