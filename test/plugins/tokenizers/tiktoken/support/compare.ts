import { createRandom } from '../../../../soak/tokenizer-shapes.ts';
import { fuzzedText } from './fuzz.ts';
import { endsByBytes, type Oracle, openTokenizer } from './open.ts';

/** A text on which the tokenizer and tiktoken differ. */
export interface Difference {
  readonly text: string;
  readonly found: unknown;
  readonly expected: unknown;
}

/** Gives what differs on a text between a tokenizer of ours and tiktoken, or `undefined`. */
export type Compare = (text: string) => Difference | undefined;

export async function comparerOf(name: string, oracle: Oracle): Promise<Compare> {
  const tokenizer = await openTokenizer(name);
  return (text) => {
    const expected = oracle.encode(text);
    const found = tokenizer.encode(text);
    if (!areSame(found, expected)) return { text, found, expected };
    const tokenized = tokenizer.tokenize(text);
    const count = tokenized.count(0, text.length);
    if (count !== expected.length) return { text, found: count, expected: expected.length };
    const ends = tokenized.ends();
    const expectedEnds = endsByBytes(text, expected, oracle);
    return areSame(ends, expectedEnds) ? undefined : { text, found: ends, expected: expectedEnds };
  };
}

/** Compares so many fuzzed texts, and gives the first ones that differ. */
export function compareFuzzed(compare: Compare, texts: number, seed: number): Difference[] {
  const random = createRandom(seed);
  const differing: Difference[] = [];
  for (let compared = 0; compared < texts && differing.length < 5; compared += 1) {
    const found = compare(fuzzedText(random));
    if (found !== undefined) differing.push(found);
  }
  return differing;
}

const areSame = (found: Uint32Array, expected: ArrayLike<number>): boolean =>
  found.length === expected.length && found.every((value, index) => value === expected[index]);
