import type { FromSchema } from 'json-schema-to-ts';
import type { Manifest } from '../../../core/kit.ts';
import { chunkOverlap, chunkSize, oversize } from '../../../core/options.ts';
import {
  delimiterSide,
  delimiters,
  minimumSentence,
  minimumSentences,
  sentenceEnds,
  sentenceLanguage,
} from '../../toolkit/prose/options.ts';

const options = {
  type: 'object',
  properties: {
    chunk_size: chunkSize,
    chunk_overlap: chunkOverlap,
    min_sentences_per_chunk: minimumSentences,
    min_characters_per_sentence: minimumSentence,
    approximate: {
      type: 'boolean',
      default: false,
      description:
        'Estimates the sizes of sentences for speed. The limit and token_count stay exact; a chunk may hold fewer sentences than it could.',
    },
    sentences: sentenceEnds,
    lang: sentenceLanguage,
    delim: delimiters,
    include_delim: delimiterSide,
    oversize,
  },
} as const;

export type SentenceOptions = FromSchema<typeof options>;

export default {
  kind: 'chunker',
  name: 'sentence',
  summary: 'Groups whole sentences into chunks within the token limit.',
  options,
  example: { text: 'First sentence. Second sentence! Is this the third? 这是第四句。', chunk_size: 40 },
  uses: ['tokenizer'],
  guarantees: { lossless: true },
  light: true,
} as const satisfies Manifest;
