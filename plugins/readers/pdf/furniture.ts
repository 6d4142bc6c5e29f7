import type { Line } from './lines.ts';

/** The fraction of a page, at its top and bottom, that contains headers and footers. */
const EDGE = 0.12;
const MIN_PAGES = 3;
const MAX_PAGES = 6;
const SHARE_OF_PAGES = 0.3;
/** Points within which lines of two pages are at the same height. */
const SAME_HEIGHT = 3;
const MAX_KEY_LENGTH = 200;
const PAGE_NUMBER = /^[-\u2013\s]*\d{1,4}[-\u2013\s]*$/;
const NUMBERS = /\d+|\b[ivxlc]+\b/gi;

/**
 * Finds headers and footers: lines at the edge of pages that other pages repeat at the same height, ignoring numbers; lone
 * page numbers; and artifacts of tagged files.
 */
export function findFurniture(pages: readonly (readonly Line[])[]): ReadonlySet<Line> {
  const found = new Set<Line>();
  for (const line of pages.flat()) if (line.block?.role === 'Artifact') found.add(line);
  if (pages.length < MIN_PAGES) return found;
  const least = Math.max(MIN_PAGES, Math.min(SHARE_OF_PAGES * pages.length, MAX_PAGES));
  const atEdges = pages.flatMap((lines) => lines.filter((line) => isAtEdge(line)));
  for (const lines of Map.groupBy(atEdges, keyOf).values())
    if (new Set(lines.map(({ page }) => page)).size >= least) for (const line of lines) found.add(line);
  for (const lines of pages) for (const line of pageNumbers(lines, found)) found.add(line);
  return found;
}

function isAtEdge({ turns, box, isFigure }: Line): boolean {
  return !isFigure && turns === 0 && box !== undefined && (box[1] < EDGE || box[3] > 1 - EDGE);
}

const keyOf = ({ base, text }: Line): string =>
  `${Math.round(base / SAME_HEIGHT)} ${text.slice(0, MAX_KEY_LENGTH).replace(NUMBERS, '#')}`;

/** Lone numbers that are the first or the last line of a page. */
function pageNumbers(lines: readonly Line[], found: ReadonlySet<Line>): Line[] {
  const others = lines.filter((line) => line.turns === 0 && !line.isFigure && !found.has(line));
  let top = Infinity;
  let bottom = -Infinity;
  for (const { y0, y1 } of others) {
    top = Math.min(top, y0);
    bottom = Math.max(bottom, y1);
  }
  return others.filter(
    (line) => isAtEdge(line) && PAGE_NUMBER.test(line.text) && (line.y0 <= top + 2 || line.y1 >= bottom - 2),
  );
}
