/** How many of the rising numbers are at most `most`. The result is also the index of the first larger number. */
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

/** The end of the match of a sticky pattern at an offset; -1 if the pattern does not match there. */
export function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** The number of leading items that satisfy a condition. Binary search: after the first failure, all must fail. */
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
