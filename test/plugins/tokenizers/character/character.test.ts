import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import type { Collaborators } from '../../../../core/contracts/plugin.ts';
import type { TokenizedText } from '../../../../core/contracts/tokenizer.ts';
import createCharacterTokenizers from '../../../../plugins/tokenizers/character/index.ts';

const provider = await createCharacterTokenizers({} as Collaborators & Record<string, unknown>);

const tokenize = async (text: string): Promise<TokenizedText> => {
  const tokenizer = await provider.open('character');
  if (tokenizer === undefined) throw new Error('character did not open');
  return tokenizer.tokenize(text);
};

/** Text of plain letters, pairs and lone halves, long enough to reach over several checkpoints. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(fc.constantFrom('a', 'é', '漢', '👍', '\ud83d', '\udc4d', '\0', '\r\n'), { maxLength: 300 })
    .map((units) => units.join('')),
);

t.test('answers to its name only', async (t) => {
  t.same(await provider.names(), ['character']);
  t.equal((await provider.open('character'))?.name, 'character');
  t.equal(await provider.open('gpt2'), undefined);
});

t.test('counts code points', async (t) => {
  const text = 'naïve 👍🏽';
  t.equal((await tokenize(text)).count(0, text.length), 8);
  t.same([...(await tokenize('a👍b')).ends()], [1, 3, 4]);
  t.same([...(await tokenize('abc')).ends()], [1, 2, 3]);
  t.same([...(await tokenize('')).ends()], []);
});

t.test('takes half a pair for a code point of its own', async (t) => {
  const tokens = await tokenize('👍👍');
  t.equal(tokens.count(0, 1), 1);
  t.equal(tokens.count(1, 2), 1);
  t.equal(tokens.count(1, 3), 2);
  t.equal(tokens.count(2, 2), 0);
  t.same([...(await tokenize('\udc4d\ud83d')).ends()], [1, 2]);
});

t.test('counts every span as the language does', async () => {
  await fc.assert(
    fc.asyncProperty(texts, fc.nat(), fc.nat(), async (text, one, other) => {
      const start = one % (text.length + 1);
      const end = start + (other % (text.length - start + 1));
      return (await tokenize(text)).count(start, end) === [...text.slice(start, end)].length;
    }),
  );
});

t.test('ends after every code point', async () => {
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      let offset = 0;
      const expected = [...text].map((point) => {
        offset += point.length;
        return offset;
      });
      return isDeepStrictEqual([...(await tokenize(text)).ends()], expected);
    }),
  );
});

t.test('counts at the checkpoints of a long text', async (t) => {
  const text = '👍'.repeat(256);
  const tokens = await tokenize(text);
  for (const offset of [0, 63, 64, 65, 127, 128, 511, 512]) {
    t.equal(tokens.count(0, offset), [...text.slice(0, offset)].length);
    t.equal(tokens.count(offset, text.length), [...text.slice(offset)].length);
  }
});
