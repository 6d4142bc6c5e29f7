/** Adds a key to the binary min-heap in the first `size` elements. */
export function push(heap: Float64Array, size: number, key: number): void {
  let at = size;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] as number;
    if (above <= key) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = key;
}

/** Removes the least key from the heap in the first `size` elements, of which there is at least one. */
export function popLeast(heap: Float64Array, size: number): number {
  const least = heap[0] as number;
  const end = size - 1;
  const last = heap[end] as number;
  let at = 0;
  for (let child = 1; child < end; child = 2 * at + 1) {
    if (child + 1 < end && (heap[child + 1] as number) < (heap[child] as number)) child += 1;
    const below = heap[child] as number;
    if (below >= last) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = last;
  return least;
}
