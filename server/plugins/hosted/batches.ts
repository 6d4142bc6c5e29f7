import type { BatchLimits } from '../../../core/contracts/collaborators.ts';
import { RefusedError } from './call.ts';

/** A stretch `[start, end)` of a list of texts. */
export interface Batch {
  readonly start: number;
  readonly end: number;
}

/** Nearly all texts have at least this many bytes of UTF-8 per token. */
const BYTES_PER_TOKEN = 3;

/** Cuts a list of texts into batches within the limits. A text that exceeds them is a batch by itself. */
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

/** Calls with a batch and, if it is refused, with each half of it. A single text that is refused is an error. */
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
