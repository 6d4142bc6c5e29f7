/**
 * The first of some indexes that is reached, found by halving; `count` if none is.
 *
 * @param isReached false up to some index and true from there on
 */
export function firstIndex(count: number, isReached: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
