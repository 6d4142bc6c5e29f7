import t from 'tap';
import create from '../../../../plugins/tokenizers/word/index.ts';
import { openChunkers } from '../../../support/service.ts';
import { testPlainTokenizer } from '../plain.ts';

/** As Chonkie does, which splits at single spaces; a word ends after its own. */
const wordsOf = (text: string) =>
  text === '' ? [] : text.split(' ').map((word, at, all) => (at < all.length - 1 ? `${word} ` : word));

await testPlainTokenizer(t, create, 'word', wordsOf);

t.test('chunk_size is a number of words', async (t) => {
  const chunk = await openChunkers();
  const text = 'The quick brown fox jumps over the lazy dog';
  const windows = await chunk('token', { text, tokenizer: 'word', chunk_size: 4 });
  const texts = windows.map((one) => one.text);
  t.same(texts, ['The quick brown fox ', 'jumps over the lazy ', 'dog']);
});
