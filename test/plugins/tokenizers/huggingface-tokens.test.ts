import * as library from '@huggingface/tokenizers';
import fc from 'fast-check';
import t from 'tap';
import type { Tokenizer } from '../../../core/contracts.ts';
import { encodeBytes, type Library } from '../../../plugins/tokenizers/huggingface/stages.ts';
import { createTokenizer } from '../../../plugins/tokenizers/huggingface/tokenizer.ts';
import {
  bertWordPiece,
  byteLevelBpe,
  metaspaceBpe,
  type TokenizerJson,
  TRAINING_TEXT,
  unigram,
} from '../../fixtures/tokenizers/tokenizer-files.ts';

interface Oracle {
  encode(text: string, options: { add_special_tokens: boolean }): { ids: number[]; tokens: string[] };
}
const { Tokenizer: LibraryTokenizer } = library as unknown as {
  Tokenizer: new (file: object, config: object) => Oracle;
};

/** The library itself, with added tokens that are special taken out of the file. */
function createOracle(file: TokenizerJson): (text: string) => string[] {
  const added_tokens = file.added_tokens.filter((token) => token.special !== true);
  const oracle = new LibraryTokenizer({ ...file, added_tokens }, {});
  return (text) => {
    const { ids, tokens } = oracle.encode(text, { add_special_tokens: false });
    if (ids.length !== tokens.length) throw new Error('the library disagrees with itself');
    return tokens;
  };
}

const open = (file: TokenizerJson): Tokenizer =>
  createTokenizer('small', JSON.stringify(file), library as unknown as Library);

const split = (pattern: object, behavior = 'Isolated', invert = false) => ({
  type: 'Split',
  pattern,
  behavior,
  invert,
});
const sequence = (...pretokenizers: object[]) => ({ type: 'Sequence', pretokenizers });
const normalizers = (...list: object[]) => ({ type: 'Sequence', normalizers: list });
const added = (content: string, flags: object = {}) => ({
  id: 9000 + content.length,
  content,
  special: false,
  ...flags,
});

const withFields = (
  file: TokenizerJson,
  fields: Partial<TokenizerJson>,
  model: object = {},
): TokenizerJson => ({
  ...file,
  ...fields,
  model: { ...file.model, ...model },
});

/** Every stage that the library has, in the orders that files on the hub have them. */
const files: Record<string, TokenizerJson> = {
  'byte-level BPE': byteLevelBpe(),
  'byte-level BPE with a prefix space and NFC': withFields(byteLevelBpe([], { type: 'NFC' }), {
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: true, use_regex: true },
  }),
  'byte-level BPE behind a pattern': withFields(
    byteLevelBpe([
      split({ Regex: "(?i:'s|'t)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+|\\s+" }),
    ]),
    {},
    { ignore_merges: true },
  ),
  'byte-level BPE behind punctuation, before digits': withFields(byteLevelBpe(), {
    pre_tokenizer: sequence(
      { type: 'Punctuation', behavior: 'Contiguous' },
      { type: 'ByteLevel', add_prefix_space: true, use_regex: true },
      { type: 'Digits', individual_digits: false },
    ),
  }),
  'BPE with an end of word': withFields(
    metaspaceBpe(),
    {
      normalizer: normalizers({ type: 'NFC' }, { type: 'Lowercase' }),
      pre_tokenizer: { type: 'Whitespace' },
    },
    { end_of_word_suffix: '▁', fuse_unk: false, byte_fallback: false },
  ),
  'metaspace BPE': metaspaceBpe(),
  'metaspace BPE without bytes': withFields(metaspaceBpe(), {}, { byte_fallback: false }),
  'metaspace BPE without a token for the unknown': withFields(
    metaspaceBpe(),
    {},
    { byte_fallback: false, unk_token: null, fuse_unk: false },
  ),
  'BERT WordPiece': bertWordPiece(),
  'cased BERT WordPiece': bertWordPiece({ lowercase: false, strip_accents: false, clean_text: false }),
  'WordPiece behind other stages': withFields(bertWordPiece(), {
    normalizer: normalizers({ type: 'NFKD' }, { type: 'StripAccents' }, { type: 'Lowercase' }),
    pre_tokenizer: sequence(
      { type: 'WhitespaceSplit' },
      { type: 'Punctuation' },
      { type: 'Digits', individual_digits: true },
    ),
  }),
  'WordPiece of pieces of one length': withFields(bertWordPiece(), {
    normalizer: normalizers({ type: 'Strip', strip_left: true, strip_right: true }, { type: 'NFD' }),
    pre_tokenizer: { type: 'FixedLength', length: 5 },
  }),
  'WordPiece with removed delimiters': withFields(bertWordPiece(), {
    normalizer: { type: 'Replace', pattern: { Regex: '[0-9]+' }, content: '#' },
    pre_tokenizer: sequence(split({ String: ' ' }, 'Removed'), split({ Regex: '\\p{P}' })),
  }),
  Unigram: unigram(),
  'Unigram over the whole text': withFields(unigram(normalizers({ type: 'NFKC' }, { type: 'Lowercase' })), {
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' },
  }),
  'Unigram where readings are equally good': withFields(
    unigram(),
    {},
    {
      unk_id: 0,
      vocab: [
        ['<unk>', 0],
        ['▁', -1],
        ['e', -2],
        ['ee', -4],
        ['eee', -6],
        ['▁e', -3],
        ['o', -2],
        ['eo', -4],
      ],
    },
  ),
  'WordPiece that fuses the unknown': withFields(bertWordPiece(), {}, { fuse_unk: true }),
  'BPE with added tokens': withFields(byteLevelBpe(), {
    added_tokens: [
      added('  '),
      added('fox', { lstrip: true }),
      added('dog', { rstrip: true, normalized: false }),
    ],
  }),
  'WordPiece with added tokens': withFields(bertWordPiece(), {
    added_tokens: [
      added('The Quick', { lstrip: true, rstrip: true }),
      added('ÜBER'),
      added('[x]', { normalized: false }),
    ],
  }),
  'Unigram with added tokens': withFields(unigram(), {
    added_tokens: [added('fox', { lstrip: true }), added(' ', { normalized: false })],
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first' },
  }),
};

const traps = [
  '[SEP]',
  '[UNK]',
  '<s>',
  '<unk>',
  '<|endoftext|>',
  '<0x41>',
  '▁',
  '▁▁',
  '##ing',
  '\u0301',
  'e\u0301',
];
const oddities = [
  '\ud83d',
  '\udc4d',
  '\0',
  '\ufffd',
  '\u200b',
  '\u00a0',
  '\r\n',
  'ΑΣ ',
  'ΑΣ.Β',
  'İ',
  'ﬁ',
  '½',
  '…',
  'ｶﾞ',
  '～',
];
const texts = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...TRAINING_TEXT.split(/(?<= )/)) },
      fc.constantFrom(
        ...traps,
        ...oddities,
        '각'.normalize('NFD'),
        'ㅋㅋㅏ',
        ' ',
        '  ',
        '\n\n',
        '\t',
        'x'.repeat(101),
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(''));

const SAMPLES = 1000;

let compared = 0;
for (const [name, file] of Object.entries(files)) {
  t.test(`${name}: counts and ends as the library has tokens`, async (t) => {
    const tokenizer = open(file);
    const oracle = createOracle(file);
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), (text, one, other) => {
        const tokens = tokenizer.tokenize(text);
        const expected = oracle(text).length;
        const start = one % (text.length + 1);
        const end = start + (other % (text.length - start + 1));
        compared += 2;
        return (
          tokens.count(0, text.length) === expected &&
          tokens.count(start, end) === oracle(text.slice(start, end)).length &&
          isWellPlaced(tokens.ends(), text, expected)
        );
      }),
      { numRuns: SAMPLES },
    );
    t.pass();
  });
}
t.teardown(() => t.comment(`compared ${compared} texts with the library`));

/** The promises of `ends` that hold on any input. */
function isWellPlaced(ends: Uint32Array, text: string, count: number): boolean {
  if (ends.length !== count || (count > 0 && ends.at(-1) !== text.length)) return false;
  return ends.every((end, index) => {
    const splitsPair =
      /^[\udc00-\udfff]/.test(text.slice(end)) && /[\ud800-\udbff]$/.test(text.slice(0, end));
    return end >= (ends[index - 1] ?? 0) && !splitsPair;
  });
}

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

t.test('text that looks like a special token is text', async (t) => {
  t.ok(open(bertWordPiece()).tokenize('[SEP]').count(0, 5) > 2);
  t.ok(open(byteLevelBpe()).tokenize('<|endoftext|>').count(0, 13) > 1);
  t.ok(open(unigram()).tokenize('x </s> y').count(0, 8) > 3);
});

t.test('truncation and padding in the file are not used', async (t) => {
  const text = 'fox '.repeat(100);
  t.equal(open(bertWordPiece()).tokenize(text).count(0, text.length), 100);
  t.equal(open(bertWordPiece()).tokenize('fox').count(0, 3), 1);
});

t.test('remembers words within a bound, with the same result', async (t) => {
  const tokenizer = open(bertWordPiece());
  const words = Array.from({ length: 66_000 }, (_, index) => `fox${index}`).join(' ');
  const tokens = tokenizer.tokenize(words);
  const once = tokens.count(0, words.length);
  t.equal(tokens.count(0, words.length), once);
  t.equal(once, createOracle(bertWordPiece())(words).length);
});

t.test('grows linearly on one long word', async (t) => {
  for (const [name, file] of Object.entries({
    bpe: byteLevelBpe(),
    metaspace: metaspaceBpe(),
    unigram: unigram(),
  })) {
    const tokenizer = open(file);
    for (const unit of ['a', '狐', '\u0301', 'the']) {
      const time = (length: number): number => {
        const text = unit.repeat(length / unit.length);
        const start = process.cpuUsage().user;
        const tokens = tokenizer.tokenize(text);
        if (tokens.ends().length !== tokens.count(0, text.length)) t.fail('as many ends as tokens');
        return process.cpuUsage().user - start;
      };
      time(9_000);
      const small = Math.min(time(9_000), time(9_000));
      const large = time(144_000);
      t.ok(large < 16 * 5 * (small + 2_000), `${name} on ${JSON.stringify(unit)}: ${small} to ${large} µs`);
    }
  }
});

t.test('says what is wrong with a file', async (t) => {
  const load = (file: object) => () =>
    createTokenizer('small', JSON.stringify(file), library as unknown as Library);
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
