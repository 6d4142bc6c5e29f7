import {
  bertWordPiece,
  byteLevelBpe,
  metaspaceBpe,
  type TokenizerJson,
  unigram,
} from '../../../../fixtures/tokenizers/tokenizer-files.ts';

const split = (pattern: object, behavior = 'Isolated') => ({
  type: 'Split',
  pattern,
  behavior,
  invert: false,
});
const sequence = (...pretokenizers: object[]) => ({ type: 'Sequence', pretokenizers });
const normalizers = (...list: object[]) => ({ type: 'Sequence', normalizers: list });
const added = (content: string, flags: object = {}) => {
  return { id: 9000 + content.length, content, special: false, ...flags };
};
const [NFC, LOWERCASE] = [{ type: 'NFC' }, { type: 'Lowercase' }];
const PREFIXED = { type: 'ByteLevel', add_prefix_space: true, use_regex: true };
const digits = (individual_digits: boolean) => ({ type: 'Digits', individual_digits });
const metaspace = (prepend_scheme: string) => ({ type: 'Metaspace', replacement: '▁', prepend_scheme });

/** Another model in a file. */
export const withModel = (file: TokenizerJson, model: object): TokenizerJson => {
  return { ...file, model: { ...file.model, ...model } };
};

const EQUALLY_GOOD = { '<unk>': 0, '▁': -1, e: -2, ee: -4, eee: -6, '▁e': -3, o: -2, eo: -4 };
const PATTERN = "(?i:'s|'t)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+|\\s+";

/** Every stage that the library has, in the orders that files on the hub have them. */
export const files: Record<string, TokenizerJson> = {
  'byte-level BPE': byteLevelBpe(),
  'byte-level BPE with a prefix space and NFC': { ...byteLevelBpe([], NFC), pre_tokenizer: PREFIXED },
  'byte-level BPE behind a pattern': withModel(byteLevelBpe([split({ Regex: PATTERN })]), {
    ignore_merges: true,
  }),
  'byte-level BPE behind punctuation, before digits': {
    ...byteLevelBpe(),
    pre_tokenizer: sequence({ type: 'Punctuation', behavior: 'Contiguous' }, PREFIXED, digits(false)),
  },
  'BPE with an end of word': {
    ...withModel(metaspaceBpe(), { end_of_word_suffix: '▁', fuse_unk: false, byte_fallback: false }),
    normalizer: normalizers(NFC, LOWERCASE),
    pre_tokenizer: { type: 'Whitespace' },
  },
  'metaspace BPE': metaspaceBpe(),
  'metaspace BPE without bytes': withModel(metaspaceBpe(), { byte_fallback: false }),
  'metaspace BPE without a token for the unknown': withModel(metaspaceBpe(), {
    byte_fallback: false,
    unk_token: null,
    fuse_unk: false,
  }),
  'BERT WordPiece': bertWordPiece(),
  'cased BERT WordPiece': bertWordPiece({ lowercase: false, strip_accents: false, clean_text: false }),
  'WordPiece behind other stages': {
    ...bertWordPiece(),
    normalizer: normalizers({ type: 'NFKD' }, { type: 'StripAccents' }, LOWERCASE),
    pre_tokenizer: sequence({ type: 'WhitespaceSplit' }, { type: 'Punctuation' }, digits(true)),
  },
  'WordPiece of pieces of one length': {
    ...bertWordPiece(),
    normalizer: normalizers({ type: 'Strip', strip_left: true, strip_right: true }, { type: 'NFD' }),
    pre_tokenizer: { type: 'FixedLength', length: 5 },
  },
  'WordPiece with removed delimiters': {
    ...bertWordPiece(),
    normalizer: { type: 'Replace', pattern: { Regex: '[0-9]+' }, content: '#' },
    pre_tokenizer: sequence(split({ String: ' ' }, 'Removed'), split({ Regex: '\\p{P}' })),
  },
  Unigram: unigram(),
  'Unigram over the whole text': {
    ...unigram(normalizers({ type: 'NFKC' }, LOWERCASE)),
    pre_tokenizer: metaspace('always'),
  },
  'Unigram where readings are equally good': withModel(unigram(), {
    unk_id: 0,
    vocab: Object.entries(EQUALLY_GOOD),
  }),
  'WordPiece that fuses the unknown': withModel(bertWordPiece(), { fuse_unk: true }),
  'BPE with added tokens': {
    ...byteLevelBpe(),
    added_tokens: [
      added('  '),
      added('fox', { lstrip: true }),
      added('dog', { rstrip: true, normalized: false }),
    ],
  },
  'WordPiece with added tokens': {
    ...bertWordPiece(),
    added_tokens: [
      added('The Quick', { lstrip: true, rstrip: true }),
      added('ÜBER'),
      added('[x]', { normalized: false }),
    ],
  },
  'Unigram with added tokens': {
    ...unigram(),
    added_tokens: [added('fox', { lstrip: true }), added(' ', { normalized: false })],
    pre_tokenizer: metaspace('first'),
  },
};
