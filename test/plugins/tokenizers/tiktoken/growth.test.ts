import t from 'tap';
import { createRandom, randomLetters, SHAPES } from '../../../soak/tokenizer-shapes.ts';
import { startBlockCounter } from '../../../support/executed-blocks.ts';
import { openTokenizer } from './support/open.ts';

/** `npm run test:soak -- growth` measures time, on longer texts. */

const SMALL = 1 << 12;
const FACTOR = 8;
/** Quadratic work would be FACTOR squared; n log n is a third more than FACTOR. */
const MOST_GROWTH = FACTOR * 1.6;

const counter = await startBlockCounter();
t.teardown(() => counter.stop());

let seed = 1;

/** The least work of a few runs, each with a text of its own that no table has seen. */
async function leastWork(prepare: (random: ReturnType<typeof createRandom>) => () => unknown) {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 2; run++) {
    seed += 1;
    least = Math.min(least, await counter.count(prepare(createRandom(seed))));
  }
  return least;
}

async function growthOf(workOf: (length: number) => Promise<number>): Promise<number> {
  const small = await workOf(SMALL);
  return (await workOf(SMALL * FACTOR)) / small;
}

for (const name of ['gpt2', 'cl100k_base', 'o200k_base']) {
  t.test(`${name} grows with the text`, async (t) => {
    const tokenizer = await openTokenizer(name);
    for (const [shape, make] of Object.entries(SHAPES)) {
      const growth = await growthOf((length) =>
        leastWork((random) => {
          const text = make(length, random);
          return () => tokenizer.tokenize(text).ends();
        }),
      );
      t.ok(growth < MOST_GROWTH, `${shape}: ${FACTOR} times the text, ${growth.toFixed(1)} times the work`);
    }
  });

  t.test(`${name} counts spans of one long piece without counting the piece each time`, async (t) => {
    const tokenizer = await openTokenizer(name);
    const growth = await growthOf((length) =>
      leastWork((random) => {
        const tokenized = tokenizer.tokenize(randomLetters(length, random));
        return () => {
          for (let start = 0; start < length; start += 64) tokenized.count(start, start + 64);
        };
      }),
    );
    t.ok(growth < MOST_GROWTH, `${FACTOR} times the spans, ${growth.toFixed(1)} times the work`);
  });

  t.test(`${name} counts a late span of a long text without reading what is before it`, async (t) => {
    const tokenizer = await openTokenizer(name);
    const growth = await growthOf((length) =>
      leastWork(() => {
        const text = 'some words of a text '.repeat(length / 21);
        const tokenized = tokenizer.tokenize(text);
        return () => tokenized.count(text.length - 100, text.length - 50);
      }),
    );
    t.ok(growth < 1.5, `${growth.toFixed(1)} times the work`);
  });
}
