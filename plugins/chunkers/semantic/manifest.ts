import type { FromSchema } from 'json-schema-to-ts';
import type { Manifest } from '../../../core/kit.ts';
import {
  chunkSize,
  delimiterSide,
  delimiters,
  minimumSentence,
  minimumSentences,
  oversize,
  sentenceEnds,
  sentenceLanguage,
} from '../../../core/options.ts';

const options = {
  type: 'object',
  properties: {
    embedding_model: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      default: 'vendor/potion-base-8M',
      description:
        "The model that compares sentences: a built-in one, an installed local one, or one of a hosted provider. chunk_size counts its own tokenizer's tokens.",
    },
    threshold: {
      anyOf: [{ type: 'number', minimum: 0, maximum: 1 }, { enum: ['auto'] }],
      default: 0.5,
      description:
        "Similarity below which the text is cut, where the similarity is lowest; lower values give fewer, larger chunks. auto takes the text's own mean less one standard deviation.",
    },
    chunk_size: chunkSize,
    similarity_window: {
      effectiveWith: { mode: ['threshold'] },
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 3,
      description: 'Sentences on either side that are compared.',
    },
    min_sentences_per_chunk: minimumSentences,
    min_characters_per_sentence: minimumSentence,
    min_characters_per_chunk: {
      effectiveWith: { mode: ['cluster'] },
      type: 'integer',
      minimum: 1,
      default: 40,
      description:
        'Characters that a chunk of mode: cluster has at least, as far as chunk_size allows it. mode: threshold keeps single sentences together by similarity_window instead.',
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
        'Groups of sentences that a digression may have: it is not cut off if the text behind it is like the text before it.',
    },
    filter_window: {
      effectiveWith: { mode: ['threshold'] },
      enum: [null, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31],
      default: null,
      description:
        'Gaps between sentences over which the similarities are smoothed (Savitzky-Golay), an odd number. Any filter_ option switches the filter on, which is off by default; the window is 5 then, or above filter_polyorder.',
    },
    filter_polyorder: {
      effectiveWith: { mode: ['threshold'] },
      type: ['integer', 'null'],
      minimum: 2,
      maximum: 10,
      lessThan: 'filter_window',
      default: null,
      description:
        'Order of the polynomials by which the filter smooths, less than filter_window; 3 if only other filter_ options are given.',
    },
    filter_tolerance: {
      effectiveWith: { mode: ['threshold'] },
      type: ['number', 'null'],
      exclusiveMinimum: 0,
      exclusiveMaximum: 1,
      default: null,
      description:
        'Slope of the smoothed similarities below which they are level, where a text can be cut; 0.2 if only other filter_ options are given.',
    },
    mode: {
      enum: ['threshold', 'cluster'],
      default: 'threshold',
      description:
        'threshold cuts at single places; cluster finds the division whose sentences are most alike within their chunks.',
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
  uses: ['embedding'],
  guarantees: { lossless: true },
} as const satisfies Manifest;
