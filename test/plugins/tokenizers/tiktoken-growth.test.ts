import t from 'tap';
import { createRandom, type Random } from './tiktoken-support/fuzz.ts';
import { openTokenizer } from './tiktoken-support/open.ts';

const SMALL = 1 << 14;
const LARGE = 1 << 17;
/** Quadratic work would take 64 times as long; n log n takes 10 times as long, and the rest is noise. */
const MOST_GROWTH = 28;

let seed = 1;

t.setTimeout(300_000);

const shapes: Readonly<Record<string, (length: number, random: Random) => string>> = {
  'one letter': (length) => 'a'.repeat(length),
  'capital letters': (length) => 'A'.repeat(length),
  spaces: (length) => ' '.repeat(length),
  'spaces before a line end': (length) => `${' '.repeat(length)}\n${' '.repeat(length)}x`,
  'line ends and spaces': (length) => '\n '.repeat(length / 2),
  dots: (length) => '.'.repeat(length),
  'random letters': (length, random) => fill(length, () => 97 + random(26)),
  base64: (length, random) => Buffer.from(fill(length, () => random(128))).toString('base64'),
  Chinese: (length, random) => fill(length, () => 0x4e00 + random(0x5000)),
  emoji: (length) => '😀'.repeat(length / 2),
  'half pairs': (length) => '\ud83d'.repeat(length),
  marks: (length) => '\u0301'.repeat(length),
  'capitals after one caseless letter': (length) => `中${'A'.repeat(length)}`,
  apostrophes: (length) => "'".repeat(length),
};

function fill(length: number, unit: () => number): string {
  return Buffer.from(Uint16Array.from({ length }, unit).buffer).toString('utf16le');
}

/**
 * The least processor time of a few runs, in milliseconds, each with a text of its own that no table has seen:
 * what else the machine does can only add to it.
 */
function leastTime(runs: number, prepare: (random: Random) => () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run += 1) {
    seed += 1;
    const work = prepare(createRandom(seed));
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

for (const name of ['gpt2', 'cl100k_base', 'o200k_base']) {
  t.test(`${name} grows with the text`, async (t) => {
    const tokenizer = await openTokenizer(name);
    for (const [shape, make] of Object.entries(shapes)) {
      const timeOf = (length: number, runs: number) =>
        leastTime(runs, (random) => {
          const text = make(length, random);
          return () => tokenizer.tokenize(text).ends();
        });
      timeOf(SMALL / 16, 5);
      const small = timeOf(SMALL, 5);
      const growth = timeOf(LARGE, 2) / small;
      t.ok(
        growth < MOST_GROWTH,
        `${shape}: ${LARGE / SMALL} times the text, ${growth.toFixed(1)} times as long`,
      );
    }
  });

  t.test(`${name} counts spans of one long piece without counting the piece each time`, async (t) => {
    const tokenizer = await openTokenizer(name);
    const timeOf = (length: number) =>
      leastTime(3, (random) => {
        const tokenized = tokenizer.tokenize(fill(length, () => 97 + random(26)));
        return () => {
          for (let start = 0; start < length; start += 64) tokenized.count(start, start + 64);
        };
      });
    timeOf(SMALL / 16);
    const growth = timeOf(LARGE) / timeOf(SMALL);
    t.ok(growth < MOST_GROWTH, `${LARGE / SMALL} times the spans, ${growth.toFixed(1)} times as long`);
  });

  t.test(`${name} counts a late span of a long text without reading what is before it`, async (t) => {
    const tokenizer = await openTokenizer(name);
    const timeOf = (length: number) =>
      leastTime(20, () => {
        const text = 'some words of a text '.repeat(length / 21);
        const tokenized = tokenizer.tokenize(text);
        return () => tokenized.count(text.length - 100, text.length - 50);
      });
    const growth = timeOf(LARGE) / timeOf(SMALL);
    t.ok(growth < MOST_GROWTH, `${growth.toFixed(1)} times as long`);
  });
}
