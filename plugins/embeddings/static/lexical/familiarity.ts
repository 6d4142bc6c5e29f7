import { countOtherWords } from './lexical-vectors.ts';

/**
 * How familiar a text is to a vocabulary that was trained on one language: the mean of `levels` of its tokens.
 * A word in another script than Latin counts as one token of the lowest level. Because few tokens say little,
 * a text starts with one familiar token.
 *
 * @param levels by token id: 0 for tokens without Latin letters; for others the logarithm of how much more frequent they
 *   are in that language than in others, times `STEPS`
 */
export function familiarityOf(text: string, ids: Uint32Array, levels: Int8Array): number {
  let sum = 0;
  let tokens = 0;
  for (let at = 0; at < ids.length; at++) {
    const level = levels[ids[at] as number] as number;
    sum += level;
    if (level !== 0) tokens++;
  }
  const others = countOtherWords(text);
  return (FIRST + sum / STEPS - others * LOWEST) / (1 + tokens + others);
}

const STEPS = 16;
const LOWEST = 4;
const FIRST = 3;

/** The familiarity up to which a text has the vector of its parts alone, and from which that of the vocabulary alone. */
const UNKNOWN = 0;
const KNOWN = 0.3;

/** The share of a text's parts in its vector: 0 for a text that the vocabulary knows, 1 for one in another language. */
export function shareOfParts(familiarity: number): number {
  return Math.min(Math.max((KNOWN - familiarity) / (KNOWN - UNKNOWN), 0), 1);
}
