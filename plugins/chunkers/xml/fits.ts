import type { Span, TokenizedText } from '../../../core/kit.ts';

/** From so much of a text its tokens per unit are estimated. */
const SAMPLE = 4096;
/** Elements with fewer or more tokens than these shares of the limit, by the estimate, need not be counted. */
const MIN_SHARE = 0.5;
const MAX_SHARE = 2;
/** Maximum elements within each other that are counted. */
const MAX_NESTED = 8;

/** Whether elements have at most `size` tokens: exactly, but for a bounded number of them within each other. */
export function fitsWithin(size: number, length: number, tokens: TokenizedText): (element: Span) => boolean {
  const sample = Math.min(length, SAMPLE);
  const tokensPerUnit = tokens.count(0, sample) / sample;
  let counted: Span = { start: 0, end: 0 };
  let nested = 0;
  return ({ start, end }) => {
    const share = ((end - start) * tokensPerUnit) / size;
    if (share < MIN_SHARE || share > MAX_SHARE) return share < 1;
    nested = start < counted.end && end > counted.start ? nested + 1 : 0;
    if (nested > MAX_NESTED) return share <= 1;
    counted = { start, end };
    return tokens.count(start, end) <= size;
  };
}
