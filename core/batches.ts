/** How much goes into one call of a hosted model. */
export interface BatchLimits {
  readonly items: number;
  /** Estimated from the bytes of the texts. */
  readonly tokens: number;
}

/** A stretch `[start, end)` of a list of texts. */
export interface Batch {
  readonly start: number;
  readonly end: number;
}

/** Bytes of UTF-8 that a token has at least in nearly all texts. */
const BYTES_PER_TOKEN = 3;

/** Cuts a list of texts into batches within the limits; a text that is over them alone is a batch alone. */
export function batchesOf(texts: readonly string[], { items, tokens }: BatchLimits): Batch[] {
  const batches: Batch[] = [];
  let start = 0;
  let sum = 0;
  texts.forEach((text, index) => {
    const size = Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
    if (index > start && (index - start === items || sum + size > tokens)) {
      batches.push({ start, end: index });
      start = index;
      sum = 0;
    }
    sum += size;
  });
  if (start < texts.length) batches.push({ start, end: texts.length });
  return batches;
}

/** A batch that was refused as it is; its halves may not be. */
export class RefusedError extends Error {}

/** Calls with a batch, and with its halves where it is refused; one text alone that is refused is an error. */
export async function callWithHalves(batch: Batch, call: (batch: Batch) => Promise<void>): Promise<void> {
  try {
    await call(batch);
  } catch (error) {
    const { start, end } = batch;
    if (!(error instanceof RefusedError) || end - start === 1) throw error;
    const middle = Math.ceil((start + end) / 2);
    await callWithHalves({ start, end: middle }, call);
    await callWithHalves({ start: middle, end }, call);
  }
}

/** Works on a list, at most so many items at once. The first failure is thrown, and no further item begun. */
export async function inParallel<T>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const run = async () => {
    while (next < items.length) {
      const item = items[next++] as T;
      try {
        await work(item);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, run));
}
