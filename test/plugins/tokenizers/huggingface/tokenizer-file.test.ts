import t from 'tap';
import { bertWordPiece, byteLevelBpe, unigram } from '../../../fixtures/tokenizers/tokenizer-files.ts';
import { withFields } from './support/files.ts';
import { open } from './support/open.ts';

t.test('says what is wrong with a file', async (t) => {
  const load = (file: object) => () => open(file);
  const bert = bertWordPiece();
  t.throws(load({}), /no model/);
  t.throws(
    load({ ...bert, model: { type: 'WordLevel', vocab: {} } }),
    /WordLevel.*BPE, WordPiece and Unigram/,
  );
  t.throws(load({ ...bert, normalizer: { type: 'Nmt' } }), /Nmt/);
  t.throws(load({ ...bert, pre_tokenizer: { type: 'CharDelimiterSplit' } }), /CharDelimiterSplit/);
  t.throws(load({ ...bert, normalizer: 7 }), /stage without a type/);
  t.throws(load(withFields(bert, {}, { vocab: [] })), /vocabulary/);
  t.throws(load(withFields(bert, {}, { vocab: { a: 'b' } })), /not a number/);
  t.throws(load(withFields(byteLevelBpe(), {}, { merges: 'a b' })), /merges/);
  t.throws(load(withFields(byteLevelBpe(), {}, { merges: [['a']] })), /pair/);
  t.throws(load(withFields(unigram(), {}, { vocab: [] })), /scores/);
  t.throws(load({ ...bert, added_tokens: [{}] }), /added token/);
});
