import fc from 'fast-check';
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
import { texts } from './support/texts.ts';

const SAMPLES = 150;

for (const [name, file] of Object.entries(files)) {
  t.test(`${name}: counts, ends and ids are those of the library`, async () => {
    const tokenizer = open(file);
    const oracle = createOracle(file);
    const holds = fc.property(texts, fc.nat(), fc.nat(), (text, one, other) => {
      const tokens = tokenizer.tokenize(text);
      const { ids } = oracle(text);
      const start = one % (text.length + 1);
      const end = start + (other % (text.length - start + 1));
      return (
        tokens.count(start, end) === oracle(text.slice(start, end)).ids.length &&
        isWellPlaced(tokens.ends(), text, ids.length) &&
        `${tokenizer.encode?.(text)}` === `${ids}`
      );
    });
    fc.assert(holds, { numRuns: SAMPLES });
  });
}

/** The promises of `ends` that hold on any input. */
function isWellPlaced(ends: Uint32Array, text: string, count: number): boolean {
  if (ends.length !== count || (count > 0 && ends.at(-1) !== text.length)) return false;
  return ends.every((end, index) => {
    const splitsPair =
      /^[\udc00-\udfff]/.test(text.slice(end)) && /[\ud800-\udbff]$/.test(text.slice(0, end));
    return end >= (ends[index - 1] ?? 0) && !splitsPair;
  });
}

t.test('truncation and padding in the file are not used', async (t) => {
  const tokens = open(bertWordPiece()).tokenize('fox '.repeat(100));
  t.same([tokens.count(0, 400), tokens.count(0, 3)], [100, 1]);
});

/** Compiled `codePointAt` of Node 24.21 reads on after the end of a slice. */
t.test('a stretch that ends within a pair has the same tokens once the model is compiled', async (t) => {
  const file = files['Unigram with added tokens'] as TokenizerJson;
  // The word follows an added token, so that it is a slice, and is longer than words that are kept.
  const before = 't <|endoftext|>';
  const text = `${before}${'x'.repeat(80)}\u{32719}\u{40da5}\u{befce}`;
  const end = text.length - 1;
  const expected = createOracle(file)(text.slice(0, end)).ids.length;
  const { count } = open(file).tokenize(text);
  const counts = new Set(Array.from({ length: 20_000 }, () => count(0, end)));
  t.same([...counts], [expected]);
});

t.test('remembers words within a bound, with the same result', async (t) => {
  const words = Array.from({ length: 66_000 }, (_, index) => `fox${index}`).join(' ');
  const tokens = open(bertWordPiece()).tokenize(words);
  const expected = createOracle(bertWordPiece())(words).ids.length;
  for (const time of ['once', 'again']) t.equal(tokens.count(0, words.length), expected, time);
});

const slices = (tokenizer: Tokenizer, text: string): string[] => {
  const ends = tokenizer.tokenize(text).ends();
  return Array.from(ends, (end, index) => text.slice(ends[index - 1] ?? 0, end));
};

const samples = [
  ...[TRAINING_TEXT.trim(), 'Ångström café Straße', 'cafe\u0301 na\u0308ıve'],
  ...['a\u0000b \u00adso\u00adft', '빠른 여우'],
];

t.test('slices of BERT tokens are the tokens', async (t) => {
  const oracle = createOracle(bertWordPiece());
  const reduce = (text: string) => {
    const visible = text.replace(/[\p{Cc}\p{Cf}\s]/gu, '').toLowerCase();
    return visible
      .normalize('NFD')
      .replace(/\p{Mn}/gu, '')
      .replaceAll('σ', 'ς');
  };
  for (const text of samples) {
    const surfaces = oracle(text).tokens.map((token) => token.replace(/^##/, '').replaceAll('σ', 'ς'));
    const found = slices(open(bertWordPiece()), text).map(reduce);
    const read = found.map((slice, index) => (surfaces[index] === '[UNK]' ? '[UNK]' : slice));
    t.same(read, surfaces);
  }
});

t.test('slices of byte-level tokens are the tokens', async (t) => {
  const ascii = samples.map((text) => text.replace(/[^ -~]/g, ''));
  for (const file of [byteLevelBpe(), files['byte-level BPE behind a pattern'] as TokenizerJson]) {
    for (const text of ascii)
      t.same(slices(open(file), text).map(encodeBytes), createOracle(file)(text).tokens);
  }
  const [octopus, ...others] = slices(open(byteLevelBpe()), '🐙a');
  t.equal(octopus, '🐙', 'parts of a character are at its end');
  t.ok(others.length > 1 && others.join('') === 'a');
});

t.test('slices of metaspace tokens are the tokens', async (t) => {
  const text = 'the quick brown fox reads  tokens, 10 % overlap';
  for (const file of [metaspaceBpe(), files['Unigram over the whole text'] as TokenizerJson]) {
    const [first = '', ...others] = createOracle(file)(text).tokens;
    const surfaces = slices(open(file), text).map((slice) => slice.replaceAll(' ', '▁'));
    t.same(surfaces, [first.replace('▁', ''), ...others], 'but for the one that is put before the text');
  }
});

t.test('what a normalizer drops or adds stays with its neighbour', async (t) => {
  for (const found of [
    ['\u200bfox', ' \u0000 dog  '],
    ['cafe\u0301', ' fox'],
    ['狐', '狸'],
  ])
    t.same(slices(open(bertWordPiece()), found.join('')), found);
  t.same(slices(open(bertWordPiece()), ' \n '), []);
});
