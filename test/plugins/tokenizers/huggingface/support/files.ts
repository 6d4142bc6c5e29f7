import {
  bertWordPiece,
  byteLevelBpe,
  metaspaceBpe,
  type TokenizerJson,
  unigram,
} from '../../../../fixtures/tokenizers/tokenizer-files.ts';

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

export const withFields = (
  file: TokenizerJson,
  fields: Partial<TokenizerJson>,
  model: object = {},
): TokenizerJson => ({
  ...file,
  ...fields,
  model: { ...file.model, ...model },
});

/** Every stage that the library has, in the orders that files on the hub have them. */
export const files: Record<string, TokenizerJson> = {
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
