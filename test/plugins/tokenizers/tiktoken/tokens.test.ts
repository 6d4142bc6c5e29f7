import t from 'tap';
import { createRandom } from '../../../soak/tokenizer-shapes.ts';
import { comparerOf } from './support/compare.ts';
import { ENCODINGS, openOracle, openTokenizer, readTexts } from './support/open.ts';
import { allSpans, randomSpans, risingSpans, spanText, wrongCounts } from './support/spans.ts';

/** Random texts are in `processes/fuzz.test.ts`. */

const texts = readTexts();
const documents = [...texts.values()].filter(({ length }) => length < 10_000).slice(0, 12);

/** Those that have their pieces and ranks from another one, which is among the others. */
const ALIKE: readonly string[] = ['r50k_base', 'p50k_edit', 'o200k_harmony'];

for (const name of ENCODINGS) {
  t.test(name, async (t) => {
    const tokenizer = await openTokenizer(name);
    const oracle = openOracle(name);
    t.teardown(() => oracle.free());

    const difference = await comparerOf(name, oracle);

    t.test('gives the tokens of tiktoken on whole documents', async (t) => {
      let tokens = 0;
      for (const [path, text] of texts) {
        const differing = difference(text);
        if (differing !== undefined) t.fail(path, differing);
        tokens += tokenizer.tokenize(text).count(0, text.length);
      }
      t.comment(`${name}: compared ${texts.size} documents of ${tokens} tokens`);
      t.ok(texts.size > 0);
    });

    if (ALIKE.includes(name)) return;

    t.test('counts any span as a text of its own, in whatever order', async (t) => {
      const random = createRandom(7);
      for (const text of [...Array.from({ length: 20 }, () => spanText(random)), ...SHORT, ...documents]) {
        const isShort = text.length < 100;
        const spans = [...(isShort ? allSpans(text.length) : risingSpans(random, text.length))];
        const tokenized = tokenizer.tokenize(text);
        spans.push(...randomSpans(random, text.length, 100), [0, text.length]);
        t.strictSame(wrongCounts(text, tokenized, oracle, spans), []);
        t.equal(tokenized.ends().length, oracle.count(text));
        const again = randomSpans(random, text.length, 100);
        t.strictSame(wrongCounts(text, tokenized, oracle, again), [], 'after the whole, and the ends');
      }
    });
  });
}

const SHORT = [
  "a  b \n c\n\n d   'S it's ſ's \t\r\n!!\n/ x",
  'A中BC Ab\u0301CD\u0301\u0301E 1234567 \u3000\u3000x',
  '😀 a\ud83d\ude00\ud83d b\u2028 \u2028c   ',
  `${'word '.repeat(6)}\n   \n   ${'word '.repeat(6)}\n     `,
];
