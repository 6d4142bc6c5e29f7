/** The number of rising numbers that are at most `most`, which is also the index of the first larger one. */
export function countUpTo(numbers: ArrayLike<number>, most: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The end of a sticky expression's match at an offset; -1 without a match. */
export function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** The number of leading items that satisfy a condition, by binary search: no later item may satisfy it. */
export function countWhile<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(items[middle] as Item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
