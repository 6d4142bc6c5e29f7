import * as library from '@huggingface/tokenizers';
import fc from 'fast-check';
import t from 'tap';
import {
  bertWordPiece,
  byteLevelBpe,
  metaspaceBpe,
  type TokenizerJson,
  TRAINING_TEXT,
  unigram,
} from '../../../fixtures/tokenizers/tokenizer-files.ts';
import { open } from './support/open.ts';

const { Tokenizer: LibraryTokenizer } = library as unknown as {
  Tokenizer: new (
    file: object,
    config: object,
  ) => { encode(text: string, options: { add_special_tokens: boolean }): { ids: number[] } };
};

const withAdded = (file: TokenizerJson): TokenizerJson => ({
  ...file,
  added_tokens: [{ id: 9000, content: 'dog.', special: false, normalized: false }],
});

const FILES: Readonly<Record<string, TokenizerJson>> = {
  'byte-level BPE': byteLevelBpe(),
  'BPE that falls back to bytes': metaspaceBpe(),
  WordPiece: bertWordPiece(),
  'WordPiece with an added token': withAdded(bertWordPiece()),
  Unigram: unigram(),
  'Unigram with an added token': withAdded(unigram()),
};

for (const [name, file] of Object.entries(FILES)) {
  t.test(`${name}: ids are those of the library, as many as there are tokens`, async (t) => {
    const tokenizer = open(file);
    const added_tokens = file.added_tokens.filter((token) => token.special !== true);
    const oracle = new LibraryTokenizer({ ...file, added_tokens, post_processor: null }, {});
    const words = fc.constantFrom(...TRAINING_TEXT.split(/\s+/), 'zzqx', '\n', '§', '中文');
    const texts = fc.array(words).map((list) => list.join(' '));
    fc.assert(
      fc.property(texts, (text) => {
        const ids = tokenizer.encode?.(text) ?? new Uint32Array(0);
        const expected = oracle.encode(text, { add_special_tokens: false }).ids;
        return ids.join() === expected.join() && ids.length === tokenizer.tokenize(text).ends().length;
      }),
    );
    t.equal(tokenizer.encode?.('').length, 0);
  });
}

/** The words are tokens, `ish` may follow one, and all else is unknown. */
const COLOURS = {
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: { type: 'Whitespace' },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    vocab: { '[UNK]': 0, red: 1, green: 2, blue: 3, '##ish': 4 },
  },
};

t.test('a token that the vocabulary lacks has an id that no other has', async (t) => {
  const tokenizer = open({ ...COLOURS, model: { ...COLOURS.model, unk_token: null } });
  t.same([...(tokenizer.encode?.('red purple blue') ?? [])], [1, 2 ** 32 - 1, 3]);
});

t.test('the special tokens are what the post-processor puts around a text', async (t) => {
  const specialTokensOf = (post_processor: unknown) => open({ ...COLOURS, post_processor }).specialTokens;
  const token = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  const text = { Sequence: { id: 'A', type_id: 0 } };
  const template = {
    type: 'TemplateProcessing',
    single: [token('<s>'), token('<lang>'), text, token('</s>')],
    special_tokens: { '<s>': { ids: [1] }, '<lang>': { ids: [7, 8] }, '</s>': { ids: [2] } },
  };
  const bert = { type: 'BertProcessing', sep: ['[SEP]', 102], cls: ['[CLS]', 101] };
  t.same(specialTokensOf(null), { prefix: [], suffix: [] });
  t.same(specialTokensOf({ type: 'ByteLevel', trim_offsets: true }), { prefix: [], suffix: [] });
  t.same(specialTokensOf(bert), { prefix: [101], suffix: [102] });
  t.same(specialTokensOf({ ...bert, type: 'RobertaProcessing' }), { prefix: [101], suffix: [102] });
  t.same(specialTokensOf(template), { prefix: [1, 7, 8], suffix: [2] });
  t.same(specialTokensOf({ type: 'Sequence', processors: [bert, template] }), {
    prefix: [1, 7, 8, 101],
    suffix: [102, 2],
  });
  for (const broken of [
    { ...template, single: undefined },
    { ...template, single: [token('<s>')] },
    { ...template, special_tokens: {} },
    { ...bert, cls: undefined },
  ]) {
    t.throws(() => specialTokensOf(broken), { message: /its post-processor has/ });
  }
});
