import type { FromSchema } from 'json-schema-to-ts';
import type { Manifest } from '../../../core/kit.ts';
import { chunkSize, minimumChunk, oversize } from '../../../core/options.ts';
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
    embedding_model: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      default: 'vendor/potion-base-8M',
      description:
        'The model that compares sentences: a built-in one, an installed local one, or one of a hosted provider. Its own tokenizer counts chunk_size, unless `tokenizer` names another.',
    },
    threshold: {
      anyOf: [{ type: 'number', minimum: 0, maximum: 1 }, { enum: ['auto'] }],
      default: 0.5,
      description:
        "Similarity below which the text is cut, where the similarity is lowest; lower values give fewer, larger chunks. auto uses the text's own mean minus one standard deviation.",
    },
    chunk_size: chunkSize,
    similarity_window: {
      effectiveWith: { mode: ['threshold'] },
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 3,
      description: 'Number of sentences on either side that are compared.',
    },
    min_sentences_per_chunk: minimumSentences,
    min_characters_per_sentence: minimumSentence,
    min_chunk_size: {
      ...minimumChunk,
      default: 0.1,
      description:
        'A stretch of fewer tokens joins the neighbour that it resembles more. Below 1: a fraction of chunk_size, or of 256 if that is less; from 1 up: a number of tokens.',
    },
    min_characters_per_chunk: {
      type: ['integer', 'null'],
      minimum: 1,
      default: null,
      description:
        'Minimum characters per chunk, as far as chunk_size allows it; counts instead of min_chunk_size.',
    },
    sentences: sentenceEnds,
    lang: sentenceLanguage,
    delim: delimiters,
    include_delim: delimiterSide,
    skip_window: {
      effectiveWith: { mode: ['threshold'] },
      type: 'integer',
      minimum: 0,
      maximum: 100,
      default: 0,
      description:
        'Maximum length of a digression, in groups of sentences: it is not cut off if the text after it resembles the text before it.',
    },
    filter_window: {
      effectiveWith: { mode: ['threshold'] },
      enum: [null, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31],
      default: null,
      description:
        'Number of gaps between sentences over which similarities are smoothed (Savitzky-Golay), odd. Any filter_ option turns the filter on, which is off by default; the window is then 5, or larger if filter_polyorder requires it.',
    },
    filter_polyorder: {
      effectiveWith: { mode: ['threshold'] },
      type: ['integer', 'null'],
      minimum: 2,
      maximum: 10,
      lessThan: 'filter_window',
      default: null,
      description:
        "Order of the filter's polynomials, less than filter_window; 3 if only other filter_ options are given.",
    },
    filter_tolerance: {
      effectiveWith: { mode: ['threshold'] },
      type: ['number', 'null'],
      exclusiveMinimum: 0,
      exclusiveMaximum: 1,
      default: null,
      description:
        'Slope below which the smoothed similarities count as level, so that the text can be cut; 0.2 if only other filter_ options are given.',
    },
    mode: {
      enum: ['threshold', 'cluster'],
      default: 'threshold',
      description:
        'threshold cuts where similarity is low; cluster finds the division with the most similar sentences in each chunk.',
    },
    oversize,
  },
} as const;

export type SemanticOptions = FromSchema<typeof options>;

export default {
  kind: 'chunker',
  name: 'semantic',
  summary: 'Cuts between sentences where the topic changes.',
  options,
  example: {
    text: 'Bread rises because yeast turns sugar into gas. The dough has to rest in a warm place. Knead it well before it goes into the oven. The telescope was launched on a rocket. It orbits the sun far behind the moon. Its mirror collects the light of distant galaxies.',
  },
  uses: ['embedding', 'tokenizer'],
  guarantees: { lossless: true },
} as const satisfies Manifest;
