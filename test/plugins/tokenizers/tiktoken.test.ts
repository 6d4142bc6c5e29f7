import t from 'tap';
import createTiktoken from '../../../plugins/tokenizers/tiktoken/index.ts';
import { ownBuffers } from '../../support/service.ts';
import { createRandom, fuzzedText } from './tiktoken-support/fuzz.ts';
import { ENCODINGS, endsByBytes, openOracle, openTokenizer, readTexts } from './tiktoken-support/open.ts';

const FUZZED_TEXTS = 100_000;
const texts = readTexts();

t.setTimeout(300_000);

for (const name of ENCODINGS) {
  t.test(name, async (t) => {
    const tokenizer = await openTokenizer(name);
    const oracle = openOracle(name);
    t.teardown(() => oracle.free());

    /** What differs between the tokenizer and tiktoken on a text, or `undefined`. */
    function difference(text: string) {
      const expected = oracle.encode(text);
      const found = tokenizer.encode(text);
      if (found.length !== expected.length || found.some((id, index) => id !== expected[index]))
        return { text, found, expected };
      const tokenized = tokenizer.tokenize(text);
      const count = tokenized.count(0, text.length);
      if (count !== expected.length) return { text, found: count, expected: expected.length };
      const ends = tokenized.ends();
      const expectedEnds = endsByBytes(text, expected, oracle);
      if (ends.length !== expectedEnds.length || ends.some((end, index) => end !== expectedEnds[index]))
        return { text, found: ends, expected: expectedEnds };
      return undefined;
    }

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

    t.test('gives the tokens of tiktoken on fuzzed texts', async (t) => {
      const random = createRandom(20_261_120);
      const differing = [];
      for (let compared = 0; compared < FUZZED_TEXTS && differing.length < 5; compared += 1) {
        const found = difference(fuzzedText(random));
        if (found !== undefined) differing.push(found);
      }
      t.comment(`${name}: compared ${FUZZED_TEXTS} fuzzed texts`);
      t.strictSame(differing, []);
    });

    t.test('takes text that looks like a special token for text', async (t) => {
      for (const text of ['<|endoftext|>', 'a<|endofprompt|>b', '<|fim_prefix|> <|endoftext|>'])
        t.equal(difference(text), undefined, text);
    });

    t.test('reads the edges of texts and spans', async (t) => {
      const empty = tokenizer.tokenize('');
      t.equal(empty.count(0, 0), 0);
      t.strictSame([...empty.ends()], []);
      t.equal(tokenizer.tokenize('some text').count(4, 4), 0);
      t.strictSame([...tokenizer.tokenize('😀').ends()].at(-1), 2);
    });
  });
}

t.test('opens only what it knows, and once', async (t) => {
  const built: string[] = [];
  const provider = createTiktoken({
    shared: {
      get(key, build) {
        built.push(key);
        return ownBuffers.get(key, build);
      },
      release() {},
    },
  });
  t.strictSame(provider.names(), ENCODINGS);
  t.equal(await provider.open('gpt5'), undefined);
  t.strictSame(built, []);
  const [one, other] = await Promise.all([provider.open('gpt2'), provider.open('gpt2')]);
  t.equal(one, other);
  t.equal(one?.name, 'gpt2');
  t.strictSame(built, ['tiktoken/unicode-classes', 'tiktoken/gpt2']);
});

t.test('opens again after a failure', async (t) => {
  let fails = true;
  const provider = createTiktoken({
    shared: {
      async get(_key, build) {
        if (fails) throw new Error('no memory');
        return build();
      },
      release() {},
    },
  });
  await t.rejects(provider.open('gpt2'), { message: 'no memory' });
  fails = false;
  t.equal((await provider.open('gpt2'))?.tokenize('hello world').count(0, 11), 2);
});
