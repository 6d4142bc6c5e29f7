import t from 'tap';
import type { TokenizedText } from '../../../../core/contracts/tokenizer.ts';
import { createRandom, type Random } from '../../../soak/tokenizer-shapes.ts';
import { fuzzedText, pick } from './support/fuzz.ts';
import { ENCODINGS, type Oracle, openOracle, openTokenizer, readTexts } from './support/open.ts';

const LONGEST_SPAN = 600;

t.setTimeout(300_000);

/** Texts in which white space, line ends and long runs meet the edges of spans often. */
function spanText(random: Random): string {
  const gaps = [
    ' ',
    '  ',
    '\n',
    '\n\n',
    ' \n ',
    '\r\n',
    '\t',
    '    \n',
    '\u3000',
    ' '.repeat(40),
    '\n'.repeat(9),
  ];
  let text = '';
  while (text.length < 3000) text += fuzzedText(random) + pick(random, gaps).repeat(random(3));
  return text;
}

function wrongCounts(
  text: string,
  tokenized: TokenizedText,
  oracle: Oracle,
  spans: Iterable<[number, number]>,
) {
  const wrong = [];
  for (const [start, end] of spans) {
    const span = text.slice(start, end);
    const found = tokenized.count(start, end);
    const expected = oracle.count(span);
    if (found !== expected) wrong.push({ start, end, span, found, expected });
  }
  return wrong.slice(0, 5);
}

function* randomSpans(random: Random, length: number, spans: number): Generator<[number, number]> {
  for (let left = spans; left > 0; left -= 1) {
    const start = random(length);
    yield [start, Math.min(length, start + random(pick(random, [12, 60, LONGEST_SPAN])))];
  }
}

/** As chunkers ask: every small span in order, then joined ones. */
function* risingSpans(random: Random, length: number): Generator<[number, number]> {
  const cuts = [0];
  while ((cuts.at(-1) as number) < length)
    cuts.push(Math.min(length, (cuts.at(-1) as number) + 1 + random(80)));
  for (let cut = 1; cut < cuts.length; cut += 1) yield [cuts[cut - 1] as number, cuts[cut] as number];
  for (let cut = 4; cut < cuts.length; cut += 1) yield [cuts[cut - 4] as number, cuts[cut] as number];
}

/** Those that have their pieces and ranks from another one, which is among the others. */
const ALIKE: readonly string[] = ['r50k_base', 'p50k_edit', 'o200k_harmony'];

for (const name of ENCODINGS.filter((encoding) => !ALIKE.includes(encoding))) {
  t.test(name, async (t) => {
    const tokenizer = await openTokenizer(name);
    const oracle = openOracle(name);
    t.teardown(() => oracle.free());

    t.test('counts any span as a text of its own', async (t) => {
      const random = createRandom(7);
      const wrong = [];
      let compared = 0;
      for (let texts = 0; texts < 100; texts += 1) {
        const text = spanText(random);
        const spans = [...randomSpans(random, text.length, 200)];
        wrong.push(...wrongCounts(text, tokenizer.tokenize(text), oracle, spans));
        compared += spans.length;
      }
      t.comment(`${name}: compared ${compared} random spans`);
      t.strictSame(wrong.slice(0, 5), []);
    });

    t.test('counts spans in the order of a chunker', async (t) => {
      const random = createRandom(8);
      const wrong = [];
      let compared = 0;
      for (const text of [...Array.from({ length: 40 }, () => spanText(random)), ...readTexts().values()]) {
        const spans = [...risingSpans(random, text.length)];
        wrong.push(...wrongCounts(text, tokenizer.tokenize(text), oracle, spans));
        compared += spans.length;
      }
      t.comment(`${name}: compared ${compared} rising spans`);
      t.strictSame(wrong.slice(0, 5), []);
    });

    t.test('counts every span of short texts', async (t) => {
      const texts = [
        "a  b \n c\n\n d   'S it's ſ's \t\r\n!!\n/ x",
        'A中BC Ab\u0301CD\u0301\u0301E 1234567 \u3000\u3000x',
        '😀 a\ud83d\ude00\ud83d b\u2028 \u2028c   ',
        `${'word '.repeat(10)}\n   \n   ${'word '.repeat(10)}\n     `,
      ];
      for (const text of texts) {
        const tokenized = tokenizer.tokenize(text);
        tokenized.count(0, text.length - 1);
        const spans: [number, number][] = [];
        for (let start = 0; start < text.length; start += 1)
          for (let end = start; end <= text.length; end += 1) spans.push([start, end]);
        t.strictSame(wrongCounts(text, tokenized, oracle, spans), []);
      }
    });

    t.test('counts spans the same after the whole, and after the ends', async (t) => {
      const text = spanText(createRandom(9));
      const tokenized = tokenizer.tokenize(text);
      t.equal(tokenized.count(0, text.length), oracle.count(text));
      t.strictSame(wrongCounts(text, tokenized, oracle, randomSpans(createRandom(10), text.length, 100)), []);
      t.equal(tokenized.ends().length, oracle.count(text));
      t.strictSame(wrongCounts(text, tokenized, oracle, randomSpans(createRandom(11), text.length, 100)), []);
    });
  });
}
