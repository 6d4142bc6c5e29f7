import t from 'tap';
import { ownBuffers } from '../../../../server/testing/collaborators.ts';
import { compareFuzzed, comparerOf } from './support/compare.ts';
import { createProvider, ENCODINGS, openOracle, openTokenizer, readTexts } from './support/open.ts';

/** `npm run test:soak -- fuzz` compares more. */
const FUZZED_TEXTS = 10_000;
const texts = readTexts();

t.setTimeout(300_000);

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

    t.test('gives the tokens of tiktoken on fuzzed texts', async (t) => {
      t.strictSame(compareFuzzed(difference, FUZZED_TEXTS, 20_261_120), []);
      t.comment(`${name}: compared ${FUZZED_TEXTS} fuzzed texts`);
    });

    t.test('takes text that looks like a special token for text', async (t) => {
      for (const text of [
        '<|endoftext|>',
        'a<|endofprompt|>b',
        '<|fim_prefix|> <|endoftext|>',
        '<|start|>user<|message|>hi<|end|>',
      ])
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

t.test('opens only what it knows', async (t) => {
  const built: string[] = [];
  const provider = await createProvider({
    get(key, build) {
      built.push(key);
      return ownBuffers.get(key, build);
    },
    release() {},
  });
  t.strictSame(provider.names(), ENCODINGS);
  t.equal(await provider.open('gpt5'), undefined);
  t.strictSame(built, []);
  t.equal((await provider.open('gpt2'))?.name, 'gpt2');
  t.strictSame(built, ['tiktoken/unicode-classes', 'tiktoken/gpt2']);
});

t.test('opens again after a failure', async (t) => {
  let fails = true;
  const provider = await createProvider({
    async get(_key, build) {
      if (fails) throw new Error('no memory');
      return build();
    },
    release() {},
  });
  await t.rejects(provider.open('gpt2'), { message: 'no memory' });
  fails = false;
  t.equal((await provider.open('gpt2'))?.tokenize('hello world').count(0, 11), 2);
});
