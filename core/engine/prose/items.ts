/** Lists that were written into one line: `1. Flour 2. Water 3. Salt`, `• Flour • Water`, `a) Flour b) Water`. */

const BULLET = /^\s*([•‣◦▪●⁃])/;
const COUNTED = /^\s*(\(?)(\d{1,3}|[a-zA-Z])(\.\)|[.)])\s/;

/**
 * Where the items of a list within a stretch of text begin, without the first one. The stretch has to begin with
 * an item, and each further one has to count on from the one before, or to have the same bullet.
 */
export function itemStarts(stretch: string): number[] {
  const bullet = BULLET.exec(stretch.slice(0, HEAD))?.[1];
  if (bullet !== undefined) return placesOf(stretch, () => bullet);
  const [, open = '', first, close = ''] = COUNTED.exec(stretch.slice(0, HEAD)) ?? [];
  if (first === undefined) return [];
  let count = first;
  return placesOf(stretch, () => {
    count = countOn(count);
    return `${open}${count}${close} `;
  });
}

/** Units that hold the mark of an item, if there is one. */
const HEAD = 40;

function countOn(count: string): string {
  const number = Number(count);
  return Number.isNaN(number) ? String.fromCharCode(count.charCodeAt(0) + 1) : String(number + 1);
}

/** The places of marks, one after the other, that have white space before them. */
function placesOf(stretch: string, nextMark: () => string): number[] {
  const places: number[] = [];
  let mark = nextMark();
  let from = HEAD_OF_ITEM;
  for (;;) {
    const at = stretch.indexOf(mark, from);
    if (at === -1) return places;
    from = at + mark.length;
    if (!/\s/.test(stretch.charAt(at - 1))) continue;
    places.push(at);
    mark = nextMark();
  }
}

/** No item is shorter. */
const HEAD_OF_ITEM = 2;
