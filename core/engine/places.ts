import type { SourcePlace } from '../contracts/reader.ts';

/**
 * The places of pages that follow each other without gaps; that of a page without text is empty.
 *
 * @param starts where the pages begin in the text, in UTF-16 units, never decreasing
 * @param length of the text, in UTF-16 units
 */
export function placesOfPages(starts: readonly number[], length: number): SourcePlace[] {
  return starts.map((start, index) => ({ start, end: starts[index + 1] ?? length, page: index + 1 }));
}

/** Where each page begins, from the first one: that of the first of its places, or of the next page that has one. */
export function startsOfPages(places: readonly SourcePlace[]): number[] {
  const starts: number[] = [];
  for (const { start, page = 0 } of places) {
    const begin = starts.length === 0 ? 0 : start;
    while (starts.length < page) starts.push(begin);
  }
  return starts;
}
