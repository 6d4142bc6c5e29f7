import type { FromSchema } from 'json-schema-to-ts';
import {
  contextField,
  contextShortenedField,
  headingPathField,
  kindsField,
  rowsField,
} from '../../../core/fields.ts';
import type { Manifest } from '../../../core/kit.ts';
import { chunkSize, countContext, minimumChunk, splitLevel } from '../../../core/options.ts';
import { numberedHeadings } from '../../toolkit/numbered/options.ts';

const options = {
  type: 'object',
  properties: {
    chunk_size: chunkSize,
    split_level: splitLevel,
    numbered_headings: numberedHeadings,
    mdx: {
      type: ['boolean', 'null'],
      default: null,
      description:
        'Whether the text is MDX: imports, exports and components are read as such. Default: whether the name of its file ends in .mdx.',
    },
    min_chunk_size: minimumChunk,
    oversize: {
      enum: ['split', 'keep'],
      default: 'split',
      description:
        'How to treat a code block, HTML block or table row above chunk_size: split it, so that chunk_size is a hard limit, or keep it whole.',
    },
    carry: {
      type: 'array',
      items: { enum: ['headings', 'header', 'fence'] },
      default: ['header', 'fence'],
      description:
        'Content of context: the headings above the beginning of the chunk, the header of a table that it continues, the opening line of a fence that it continues.',
    },
    count_context: countContext,
    include_blocks: {
      type: 'boolean',
      default: false,
      description: 'Whether each chunk lists its blocks, or parts of blocks, with their offsets.',
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
    level: { type: 'integer', description: 'For a heading: from 1, the highest.' },
    language: { type: 'string', description: 'For a fence: the first word after its marker.' },
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
      description: 'The language of the fences in the chunk, if all name the same one.',
    },
    rows: rowsField,
    context: contextField,
    context_shortened: contextShortenedField,
    blocks: { type: 'array', items: block, description: 'With include_blocks: the blocks of the chunk.' },
  },
  example: {
    text: '# Tea\n\nBoil water.\n\n## Milk\n\n| kind | fat |\n| --- | --- |\n| whole | 3.5 % |\n| skimmed | 0.1 % |\n',
    chunk_size: 60,
  },
  uses: ['tokenizer'],
  needs: { packages: ['entities'] },
  guarantees: { lossless: true },
  light: true,
} as const satisfies Manifest;
