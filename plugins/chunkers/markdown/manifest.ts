import type { FromSchema } from 'json-schema-to-ts';
import {
  contextField,
  contextShortenedField,
  headingPathField,
  kindsField,
  rowsField,
} from '../../../core/fields.ts';
import type { Manifest } from '../../../core/kit.ts';
import { chunkSize, countContext, minimumChunk } from '../../../core/options.ts';

const options = {
  type: 'object',
  properties: {
    chunk_size: chunkSize,
    split_level: {
      type: 'integer',
      minimum: 0,
      maximum: 6,
      default: 0,
      description:
        'Begins a new chunk at every heading of this level and above, also where more would fit; 0 cuts by size alone.',
    },
    min_chunk_size: minimumChunk,
    oversize: {
      enum: ['split', 'keep'],
      default: 'split',
      description:
        'What becomes of a code block, HTML block or table row above chunk_size: split, so that chunk_size is a hard limit, or kept whole.',
    },
    carry: {
      type: 'array',
      items: { enum: ['headings', 'header', 'fence'] },
      default: ['header', 'fence'],
      description:
        'What context has: the headings that the beginning of the chunk stands under, the header of a table that it goes on with, the opening line of a fence that it goes on with.',
    },
    count_context: countContext,
    include_blocks: {
      type: 'boolean',
      default: false,
      description: 'Whether each chunk lists the blocks that it holds, or parts of which, with their places.',
    },
  },
} as const;

export type MarkdownOptions = FromSchema<typeof options>;

const block = {
  title: 'MarkdownBlock',
  type: 'object',
  required: ['kind', 'start_index', 'end_index'],
  properties: {
    kind: { type: 'string', description: 'heading, paragraph, list, quote, fence, table, html, ...' },
    level: { type: 'integer', description: 'Of a heading: 1 to 6.' },
    language: { type: 'string', description: 'Of a fence: the first word behind its marks.' },
    start_index: { type: 'integer' },
    end_index: { type: 'integer' },
  },
} as const;

export default {
  kind: 'chunker',
  name: 'markdown',
  summary: 'Splits Markdown along its headings, blocks, list items, table rows and lines of code.',
  options,
  fields: {
    heading_path: headingPathField,
    kinds: kindsField,
    language: {
      type: 'string',
      description: 'The language of the fences that it holds, or parts of which, if they name one alone.',
    },
    rows: rowsField,
    context: contextField,
    context_shortened: contextShortenedField,
    blocks: { type: 'array', items: block, description: 'With include_blocks: the blocks that it holds.' },
  },
  example: {
    text: '# Tea\n\nBoil water.\n\n## Milk\n\n| kind | fat |\n| --- | --- |\n| whole | 3.5 % |\n| skimmed | 0.1 % |\n',
    chunk_size: 60,
  },
  uses: ['tokenizer'],
  guarantees: { lossless: true },
  light: true,
} as const satisfies Manifest;
