import type { RecognizedLine } from '../../../core/kit.ts';

/** A line before it is judged. */
export type FoundText = Omit<RecognizedLine, 'legibility'>;

/** Confidence of lines: about one in ten words of an uncertain line is wrong, and most words of an unreadable one. */
const UNCERTAIN = 0.8;
const UNREADABLE = 0.6;
/** Parts of drawings look like one or two letters. */
const UNREADABLE_SHORT = 0.8;
const SHORT = 2;

export function legibilityOf({ text, confidence }: FoundText): RecognizedLine['legibility'] {
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  if (confidence < (letters <= SHORT ? UNREADABLE_SHORT : UNREADABLE)) return 'unreadable';
  return confidence < UNCERTAIN ? 'uncertain' : 'sure';
}

/** Confidence below which signs without letters and digits are specks and rules. */
const CERTAIN_SIGN = 0.8;

export const isNoise = ({ text, confidence }: FoundText): boolean =>
  !/[\p{L}\p{N}]/u.test(text) && confidence < CERTAIN_SIGN;

/** Mean confidence below which a page is in another script, or a drawing. */
const READABLE_PAGE = 0.8;

/** Whether lines are text. If most are readable, the others do not count: a logo does not make a page unreadable. */
export function isText(lines: readonly RecognizedLine[]): boolean {
  const readable = lines.filter(({ legibility }) => legibility !== 'unreadable');
  const lengthOf = (some: readonly RecognizedLine[]) => some.reduce((sum, { text }) => sum + text.length, 0);
  const counted = lengthOf(readable) * 2 > lengthOf(lines) ? readable : lines;
  return meanConfidence(counted) >= READABLE_PAGE;
}

/** The mean confidence of lines, by their length. */
export function meanConfidence(lines: readonly Pick<FoundText, 'text' | 'confidence'>[]): number {
  let [sum, length] = [0, 0];
  for (const { text, confidence } of lines) {
    sum += confidence * text.length;
    length += text.length;
  }
  return length === 0 ? 0 : sum / length;
}
