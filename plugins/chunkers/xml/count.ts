import type { TokenizedText } from '../../../core/kit.ts';

/** From so much of a text its tokens per unit are estimated. */
const SAMPLE = 4096;
/** A stretch with fewer or more tokens than these shares of the limit, by the estimate, need not be counted. */
const MIN_SHARE = 0.6;
const MAX_SHARE = 1.6;
/** Maximum stretches within each other that are counted. */
const MAX_NESTED = 8;

/**
 * Counts the tokens of elements: exactly near a limit, except that of many elements within each other some are
 * estimated, because counting all of them is quadratic.
 */
export function countNear(size: number, length: number, tokens: TokenizedText) {
  const sample = Math.min(length, SAMPLE);
  const tokensPerUnit = tokens.count(0, sample) / sample;
  let countedStart = 0;
  let countedEnd = 0;
  let nested = 0;
  return (start: number, end: number): number => {
    const estimate = (end - start) * tokensPerUnit;
    if (estimate < MIN_SHARE * size || estimate > MAX_SHARE * size) return estimate;
    nested = start < countedEnd && end > countedStart ? nested + 1 : 0;
    if (nested > MAX_NESTED) return estimate;
    countedStart = start;
    countedEnd = end;
    return tokens.count(start, end);
  };
}
