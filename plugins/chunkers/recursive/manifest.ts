import type { FromSchema } from 'json-schema-to-ts';
import { headingPathField } from '../../../core/fields.ts';
import type { Manifest } from '../../../core/kit.ts';
import { chunkOverlap, chunkSize } from '../../../core/options.ts';
import { numberedHeadings } from '../../toolkit/numbered/options.ts';

const delimiters = { type: 'array', items: { type: 'string', minLength: 1 } } as const;

const options = {
  type: 'object',
  properties: {
    chunk_size: chunkSize,
    chunk_overlap: chunkOverlap,
    recipe: {
      type: 'string',
      effectiveWith: { delimiters: [[]], levels: [[]] },
      minLength: 1,
      maxLength: 100,
      default: 'default',
      examples: ['default', 'markdown', 'python', 'js', 'diff', 'log', 'mail'],
      description:
        'Hierarchy of separators: default, markdown, python, js, lines, diff, log, mail, or a file of the recipes folder.',
    },
    delimiters: {
      ...delimiters,
      default: [],
      excludes: ['recipe', 'levels'],
      description:
        'Literal strings that end a piece, instead of a recipe; larger pieces are cut between tokens.',
    },
    levels: {
      type: 'array',
      items: delimiters,
      default: [],
      excludes: ['recipe', 'delimiters'],
      examples: [[['\n\n'], ['. ', '? ', '! '], [' ']]],
      description: 'A custom hierarchy, instead of a recipe: lists of delimiters, coarsest first.',
    },
    lang: {
      type: 'string',
      effectiveWith: { delimiters: [[]], levels: [[]] },
      minLength: 1,
      maxLength: 35,
      default: 'en',
      examples: ['en', 'zh', 'ja', 'ko', 'hi', 'ar', 'ru', 'de', 'fr', 'es', 'zh-Hans'],
      description:
        'Language of the text (BCP 47), for its sentence and clause endings; an unknown language gets the default ones.',
    },
    numbered_headings: numberedHeadings,
    min_characters_per_chunk: {
      type: 'integer',
      minimum: 1,
      default: 24,
      description: 'Minimum characters per chunk, as far as chunk_size allows it.',
    },
  },
} as const;

export type RecursiveOptions = FromSchema<typeof options>;

export default {
  kind: 'chunker',
  name: 'recursive',
  summary: 'Splits text along a hierarchy of separators: paragraphs, then sentences, then words.',
  options,
  fields: { heading_path: headingPathField },
  example: { text: '# Title\n\nFirst paragraph.\n\nSecond paragraph.', chunk_size: 30, recipe: 'markdown' },
  uses: ['tokenizer'],
  guarantees: { lossless: true, bounded: true },
  light: true,
} as const satisfies Manifest;
