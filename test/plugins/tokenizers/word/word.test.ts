import fc from 'fast-check';
import t from 'tap';
import type { Collaborators } from '../../../../core/contracts/plugin.ts';
import type { TokenizedText, Tokenizer } from '../../../../core/contracts/tokenizer.ts';
import createWordTokenizers from '../../../../plugins/tokenizers/word/index.ts';
import { needs } from '../../../support/here.ts';
import { openChunkers } from '../../../support/service.ts';

const provider = await createWordTokenizers({} as Collaborators & Record<string, unknown>);
const word = (await provider.open('word')) as Tokenizer;
const tokenize = (text: string): TokenizedText => word.tokenize(text);

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(fc.constantFrom(' ', '  ', 'a', 'word', '漢', '👍', '\u00a0', '\n', '\t'), { maxLength: 300 })
    .map((units) => units.join('')),
);

t.test('answers to its name only', async (t) => {
  t.same(await provider.names(), ['word']);
  t.equal(word.name, 'word');
  t.equal(await provider.open('words'), undefined);
});

t.test('counts every span as Chonkie does, which splits at single spaces', async () => {
  fc.assert(
    fc.property(texts, fc.nat(), fc.nat(), (text, one, other) => {
      const start = one % text.length || 0;
      const end = start + (other % (text.length - start + 1));
      const own = text.slice(start, end);
      return tokenize(text).count(start, end) === (own === '' ? 0 : own.split(' ').length);
    }),
  );
});

t.test('a word ends after its space', async (t) => {
  t.same([...tokenize('one two  three').ends()], [4, 8, 9, 14]);
  t.same([...tokenize(' a ').ends()], [1, 3, 3]);
  t.same([...tokenize('one\ntwo').ends()], [7]);
  t.same([...tokenize('').ends()], []);
});

t.test('chunk_size is a number of words', async (t) => {
  const chunk = await openChunkers();
  const text = 'The quick brown fox jumps over the lazy dog';
  const windows = await chunk('token', { text, tokenizer: 'word', chunk_size: 4 });
  t.same(
    windows.map((one) => one.text),
    ['The quick brown fox ', 'jumps over the lazy ', 'dog'],
  );
});

t.test('a chunker that looks for boundaries counts words', needs('chunker/recursive'), async (t) => {
  const chunk = await openChunkers();
  const text = 'The quick brown fox jumps over the lazy dog';
  const chunks = await chunk('recursive', {
    text: `${text}. `.repeat(50),
    tokenizer: 'word',
    chunk_size: 12,
  });
  t.equal(chunks.map((one) => one.text).join(''), `${text}. `.repeat(50));
  t.ok(chunks.every((one) => one.token_count === one.text.split(' ').length && one.token_count <= 12));
});
