/** Texts, and tokens with their padding, that one run of the graph takes; they bound its memory. */
const MAX_TEXTS = 64;
const MAX_TOKENS = 8192;

/** Batches of the places of texts of about the same length, so that little is padded. */
export function batchesByLength(ids: readonly Uint32Array[]): number[][] {
  const order = ids.map((_, index) => index).sort((a, b) => lengthAt(ids, a) - lengthAt(ids, b));
  const batches: number[][] = [];
  let batch: number[] = [];
  for (const index of order) {
    const isFull = batch.length === MAX_TEXTS || (batch.length + 1) * lengthAt(ids, index) > MAX_TOKENS;
    if (isFull && batch.length > 0) {
      batches.push(batch);
      batch = [];
    }
    batch.push(index);
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

const lengthAt = (ids: readonly Uint32Array[], index: number) => (ids[index] as Uint32Array).length;
