import t from 'tap';
import type { Tokenizer } from '../../../../core/contracts/tokenizer.ts';
import { encodeBytes } from '../../../../plugins/tokenizers/huggingface/stages/library-stages.ts';
import {
  bertWordPiece,
  byteLevelBpe,
  metaspaceBpe,
  type TokenizerJson,
  TRAINING_TEXT,
} from '../../../fixtures/tokenizers/tokenizer-files.ts';
import { files } from './support/files.ts';
import { createOracle, open } from './support/open.ts';

const slices = (tokenizer: Tokenizer, text: string): string[] => {
  const ends = tokenizer.tokenize(text).ends();
  return Array.from(ends, (end, index) => text.slice(ends[index - 1] ?? 0, end));
};

const samples = [
  TRAINING_TEXT.trim(),
  'Ångström café Straße',
  'cafe\u0301 na\u0308ıve',
  'a\u0000b \u00adso\u00adft',
  '빠른 여우',
];

t.test('slices of BERT tokens are the tokens', async (t) => {
  const oracle = createOracle(bertWordPiece());
  const reduce = (text: string) =>
    text
      .replace(/[\p{Cc}\p{Cf}\s]/gu, '')
      .toLowerCase()
      .normalize('NFD')
      .replace(/\p{Mn}/gu, '');
  for (const text of samples) {
    const surfaces = oracle(text).map((token) => token.replace(/^##/, ''));
    const known = slices(open(bertWordPiece()), text).map((slice, index) =>
      surfaces[index] === '[UNK]' ? '[UNK]' : reduce(slice).replaceAll('σ', 'ς'),
    );
    t.same(
      known,
      surfaces.map((token) => token.replaceAll('σ', 'ς')),
    );
  }
});

t.test('slices of byte-level tokens are the tokens', async (t) => {
  const ascii = samples.map((text) => text.replace(/[^ -~]/g, ''));
  for (const file of [byteLevelBpe(), files['byte-level BPE behind a pattern'] as TokenizerJson]) {
    for (const text of ascii) t.same(slices(open(file), text).map(encodeBytes), createOracle(file)(text));
  }
  const [octopus, ...others] = slices(open(byteLevelBpe()), '🐙a');
  t.equal(octopus, '🐙', 'parts of a character are at its end');
  t.ok(others.length > 1 && others.join('') === 'a');
});

t.test('slices of metaspace tokens are the tokens', async (t) => {
  const text = 'the quick brown fox reads  tokens, 10 % overlap';
  for (const file of [metaspaceBpe(), files['Unigram over the whole text'] as TokenizerJson]) {
    const [first = '', ...others] = createOracle(file)(text);
    const surfaces = slices(open(file), text).map((slice) => slice.replaceAll(' ', '▁'));
    t.same(surfaces, [first.replace('▁', ''), ...others], 'but for the one that is put before the text');
  }
  const compatible = slices(open(files['Unigram over the whole text'] as TokenizerJson), 'ﬁne … Straße');
  t.same(compatible.join(''), 'ﬁne … Straße');
});

t.test('what a normalizer drops or adds stays with its neighbour', async (t) => {
  t.same(slices(open(bertWordPiece()), '\u200bfox \u0000 dog  '), ['\u200bfox', ' \u0000 dog  ']);
  t.same(slices(open(bertWordPiece()), 'cafe\u0301 fox'), ['cafe\u0301', ' fox']);
  t.same(slices(open(bertWordPiece()), '狐狸'), ['狐', '狸']);
  t.same(slices(open(bertWordPiece()), ' \n '), []);
});
