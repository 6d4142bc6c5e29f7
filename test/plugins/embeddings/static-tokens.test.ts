import * as library from '@huggingface/tokenizers';
import fc from 'fast-check';
import t from 'tap';
import type { Library } from '../../../plugins/tokenizers/huggingface/stages.ts';
import { createTokenizer } from '../../../plugins/tokenizers/huggingface/tokenizer.ts';
import {
  bertWordPiece,
  byteLevelBpe,
  metaspaceBpe,
  type TokenizerJson,
  TRAINING_TEXT,
  unigram,
} from '../../fixtures/tokenizers/tokenizer-files.ts';
import { TOKENIZER } from './static-support/models.ts';

const { Tokenizer: LibraryTokenizer } = library as unknown as {
  Tokenizer: new (
    file: object,
    config: object,
  ) => { encode(text: string, options: { add_special_tokens: boolean }): { ids: number[] } };
};

const open = (file: object) => createTokenizer('small', JSON.stringify(file), library as unknown as Library);

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

t.test('a token that the vocabulary lacks has an id that no other has', async (t) => {
  const { model, ...rest } = JSON.parse(TOKENIZER);
  const tokenizer = open({ ...rest, model: { ...model, unk_token: null } });
  t.same([...(tokenizer.encode?.('red purple blue') ?? [])], [1, 2 ** 32 - 1, 3]);
});

t.test('the frame is what the post-processor puts around a text', async (t) => {
  const frameOf = (post_processor: unknown) => open({ ...JSON.parse(TOKENIZER), post_processor }).frame;
  const token = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  const text = { Sequence: { id: 'A', type_id: 0 } };
  const template = {
    type: 'TemplateProcessing',
    single: [token('<s>'), token('<lang>'), text, token('</s>')],
    special_tokens: { '<s>': { ids: [1] }, '<lang>': { ids: [7, 8] }, '</s>': { ids: [2] } },
  };
  const bert = { type: 'BertProcessing', sep: ['[SEP]', 102], cls: ['[CLS]', 101] };
  t.same(frameOf(null), { before: [], after: [] });
  t.same(frameOf({ type: 'ByteLevel', trim_offsets: true }), { before: [], after: [] });
  t.same(frameOf(bert), { before: [101], after: [102] });
  t.same(frameOf({ ...bert, type: 'RobertaProcessing' }), { before: [101], after: [102] });
  t.same(frameOf(template), { before: [1, 7, 8], after: [2] });
  t.same(frameOf({ type: 'Sequence', processors: [bert, template] }), {
    before: [1, 7, 8, 101],
    after: [102, 2],
  });
  for (const broken of [
    { ...template, single: undefined },
    { ...template, single: [token('<s>')] },
    { ...template, special_tokens: {} },
    { ...bert, cls: undefined },
  ]) {
    t.throws(() => frameOf(broken), { message: /its post-processor has/ });
  }
});
