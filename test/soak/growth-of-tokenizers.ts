import { isHere } from '../support/here.ts';
import { composeQuietly } from '../support/service.ts';
import { type Growth, leastTime } from './least-time.ts';
import { createRandom, type Random, randomLetters, SHAPES } from './tokenizer-shapes.ts';

const SMALL = 1 << 14;
const LARGE = 1 << 17;
/** Quadratic work would take 64 times as long; n log n takes 10 times as long, and the rest is noise. */
const MOST_GROWTH = 28;

const NAMES = isHere('tokenizer/tiktoken') ? ['gpt2', 'cl100k_base', 'o200k_base'] : [];

/** How the time of tiktoken's encodings grows from a text to one of eight times its length. */
export async function tokenizerGrowth(runs: number, seed: number): Promise<Growth[]> {
  const found: Growth[] = [];
  let used = seed;
  const grow = async (
    what: string,
    least: number,
    prepare: (length: number, random: Random) => () => unknown,
  ) => {
    const timeOf = (length: number, runs: number) =>
      leastTime(runs, () => prepare(length, createRandom(used++)));
    await timeOf(SMALL / 16, 5);
    const small = await timeOf(SMALL, least);
    found.push({ what, times: (await timeOf(LARGE, Math.min(runs, least))) / small, most: MOST_GROWTH });
  };
  const { openers } = await composeQuietly();
  for (const name of NAMES) {
    const tokenizer = await openers.tokenizer(name);
    for (const [shape, make] of Object.entries(SHAPES)) {
      await grow(`${name}, ${shape}`, 5, (length, random) => {
        const text = make(length, random);
        return () => tokenizer.tokenize(text).ends();
      });
    }
    await grow(`${name}, spans of one long piece`, 3, (length, random) => {
      const tokenized = tokenizer.tokenize(randomLetters(length, random));
      return () => {
        for (let start = 0; start < length; start += 64) tokenized.count(start, start + 64);
      };
    });
    await grow(`${name}, a late span of a long text`, 20, (length) => {
      const text = 'some words of a text '.repeat(length / 21);
      const tokenized = tokenizer.tokenize(text);
      return () => tokenized.count(text.length - 100, text.length - 50);
    });
  }
  return found;
}
