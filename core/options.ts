import { SENTENCE_MARKS } from './sentence-marks.ts';

/**
 * Request parameters that several plugins share, each written once as JSON Schema. Besides the standard keywords
 * there are `lessThan: "<parameter>"`: the value must be below that of another parameter; `excludes:
 * ["<parameter>"]`: it cannot be given together with another one that is not at its default; and `effectiveWith:
 * {"<parameter>": [<values>]}`: it has an effect only if another parameter has one of these values.
 */

export const chunkSize = {
  type: 'integer',
  minimum: 1,
  default: 512,
  description: 'Maximum tokens per chunk.',
} as const;

export const splitLevel = {
  type: 'integer',
  minimum: 0,
  maximum: 6,
  default: 0,
  description:
    'Begins a new chunk at every heading of this level or above, even if more would fit; 0 cuts only by size.',
} as const;

export const numberedHeadings = {
  type: 'boolean',
  default: false,
  description:
    'Whether lines that are headings only by their number (Article 5, § 3 Scope, 2.1.4 Scope, II., 第一章) count as headings: if their numbers form a sequence in the whole text.',
} as const;

export const chunkOverlap = {
  type: 'integer',
  minimum: 0,
  default: 0,
  lessThan: 'chunk_size',
  description: 'Tokens that a chunk repeats from the end of the previous one. Less than chunk_size.',
} as const;

const delimiter = { type: 'string', minLength: 1 } as const;

/**
 * Ends of sentences: those of the Latin script must be followed by a space or the end of a line. As for every option
 * that is a list of strings, the server limits the number of items and their length.
 */
export const delimiters = {
  anyOf: [delimiter, { type: 'array', items: delimiter }],
  effectiveWith: { sentences: ['delimiters'] },
  default: ['\n', '. ', '! ', '? ', ...SENTENCE_MARKS],
  description:
    'Literal strings that end a sentence, never patterns. If several match at one place, the longest counts.',
} as const;

export const delimiterSide = {
  enum: ['prev', 'next', null],
  effectiveWith: { sentences: ['delimiters'] },
  default: 'prev',
  description:
    'Whether a delimiter goes with the sentence before it or the one after it. null means prev: no text is lost.',
} as const;

export const sentenceEnds = {
  enum: ['delimiters', 'rules'],
  default: 'delimiters',
  description:
    'What ends a sentence: the strings of delim, or the rules of prose, which suit most texts. Rules know abbreviations, initials, numbers, ellipses, closing quotation marks and the marks of all scripts; a line break ends a sentence only with its paragraph, list item, heading or verse. With them delim and include_delim have no effect.',
} as const;

export const sentenceLanguage = {
  type: 'string',
  effectiveWith: { sentences: ['rules'] },
  minLength: 1,
  maxLength: 35,
  default: 'en',
  examples: ['en', 'de', 'fr', 'es', 'it', 'pt', 'ru', 'nl', 'zh-Hans'],
  description:
    'Language of the text (BCP 47), for its abbreviations, with sentences: rules; an unknown language gets those of English.',
} as const;

export const minimumSentences = {
  type: 'integer',
  minimum: 1,
  default: 1,
  description: 'Minimum sentences per chunk, as far as chunk_size allows it.',
} as const;

export const minimumSentence = {
  type: 'integer',
  minimum: 1,
  default: 12,
  description: 'Minimum characters per sentence; a shorter one is joined to its neighbour.',
} as const;

export const oversize = {
  enum: ['keep', 'split'],
  default: 'keep',
  description:
    'A single sentence, function or class above chunk_size: kept whole, or split so that chunk_size is a hard limit.',
} as const;

export const minimumChunk = {
  type: 'number',
  minimum: 0,
  default: 0.2,
  description:
    'A chunk of fewer tokens joins a neighbour, as far as chunk_size allows it. Below 1: a fraction of chunk_size; from 1 up: a number of tokens.',
} as const;

export const countContext = {
  type: 'boolean',
  default: false,
  description: 'Whether chunk_size limits the context and the text together.',
} as const;
