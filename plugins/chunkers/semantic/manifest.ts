import type { FromSchema } from 'json-schema-to-ts';
import type { Manifest } from '../../../core/contracts/manifest.ts';
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
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 3,
      description: 'Sentences on either side that are compared.',
    },
    min_sentences_per_chunk: minimumSentences,
    min_characters_per_sentence: minimumSentence,
    sentences: sentenceEnds,
    lang: sentenceLanguage,
    delim: delimiters,
    include_delim: delimiterSide,
    skip_window: {
      type: 'integer',
      minimum: 0,
      maximum: 100,
      default: 0,
      description:
        'Groups of sentences that a digression may have: it is not cut off if the text behind it is like the text before it.',
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
