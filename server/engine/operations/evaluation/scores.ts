import { described, number } from '../../answer/schemas.ts';
import { lengthOf, type Range, sharedLength, touches, united } from './ranges.ts';

/**
 * How well chunks answer questions, each from 0 to 1, as Chroma's report on chunking defines them for characters.
 */
export const scores = {
  recall: described("The share of the answers' characters that were found.", number),
  precision: described('The share of found characters that belong to the answers.', number),
  iou: described(
    "The answers' characters that were found, divided by all characters that are in the answers or were found.",
    number,
  ),
  precision_at_full_recall: described(
    'The precision if exactly the chunks that overlap the answers were found.',
    number,
  ),
};

export type Scores = Readonly<Record<keyof typeof scores, number>>;

/**
 * Scores the chunks that were found for a question. The answer's characters count once, however many chunks repeat
 * them; other found characters count as often as they were found. For the precision at full recall, every character
 * counts once, including those of the answer that are in no chunk.
 *
 * @param answer united ranges, with at least one character
 * @param found chunks
 * @param all chunks that could be found
 */
export function scoresOf(answer: readonly Range[], found: readonly Range[], all: readonly Range[]): Scores {
  const [wanted, got] = [lengthOf(answer), lengthOf(found)];
  const shared = sharedLength(answer, united(found));
  const touching = all.filter((chunk) => touches(chunk, answer));
  const inAny = sharedLength(answer, united(touching));
  return {
    recall: shared / wanted,
    precision: got === 0 ? 0 : shared / got,
    iou: shared / (wanted + got - shared),
    precision_at_full_recall: inAny / lengthOf(united([...touching, ...answer])),
  };
}

/** The mean of each score. @param all at least one */
export function meanScores(all: readonly Scores[]): Scores {
  const mean = (name: keyof Scores) => all.reduce((sum, one) => sum + one[name], 0) / all.length;
  const names = Object.keys(scores) as (keyof Scores)[];
  return Object.fromEntries(names.map((name) => [name, mean(name)])) as Scores;
}
