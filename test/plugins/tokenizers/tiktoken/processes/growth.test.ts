import t from 'tap';
import { createRandom, SHAPES as RANDOM_SHAPES, randomLetters } from '../../../../soak/tokenizer-shapes.ts';
import { startBlockCounter } from '../../../../support/executed-blocks.ts';
import { checkLinearWork } from '../../../../support/linear-work.ts';

const counter = await startBlockCounter(t);
const { openTokenizer } = await import('../support/open.ts');

let seed = 1;
/** Texts of their own, which no table has seen. */
const SHAPES = Object.fromEntries(
  Object.entries(RANDOM_SHAPES).map(([shape, make]) => [
    shape,
    (length: number) => make(length, createRandom(++seed)),
  ]),
);
const LETTERS = { 'random letters': (length: number) => randomLetters(length, createRandom(++seed)) };

for (const name of ['gpt2', 'cl100k_base', 'o200k_base']) {
  const { tokenize } = await openTokenizer(name);

  t.test(`${name} grows with the text`, (t) =>
    checkLinearWork(t, SHAPES, [{}], async (text) => tokenize(text).ends(), counter),
  );

  t.test(`${name} counts spans of one long piece without counting the piece each time`, (t) => {
    const countSpans = async (text: string) => {
      const tokens = tokenize(text);
      for (let start = 0; start < text.length; start += 64) tokens.count(start, start + 64);
    };
    return checkLinearWork(t, LETTERS, [{}], countSpans, counter);
  });

  t.test(`${name} counts a late span of a long text without reading what is before it`, async (t) => {
    const workOf = (length: number) => {
      const text = 'some words of a text '.repeat(length);
      const tokens = tokenize(text);
      return counter.count(() => tokens.count(text.length - 100, text.length - 50));
    };
    await workOf(100);
    const growth = (await workOf(800)) / (await workOf(100));
    t.ok(growth < 1.5, `${growth.toFixed(1)} times the work`);
  });
}
