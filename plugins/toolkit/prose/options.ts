import { SENTENCE_MARKS } from './sentence-marks.ts';

/** Request parameters of chunkers that find sentences. This file has only data, so manifests can import it. */

const delimiter = { type: 'string', minLength: 1 } as const;

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
