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

const options = {
  type: 'object',
  properties: {
    chunk_size: chunkSize,
    min_chunk_size: minimumChunk,
    split_level: splitLevel,
    oversize: {
      enum: ['split', 'keep'],
      default: 'split',
      description:
        'How to treat a table row, pre, script or style above chunk_size: split it, so that chunk_size is a hard limit, or keep it whole.',
    },
    skip: {
      type: 'array',
      items: {
        type: 'string',
        pattern: '^[A-Za-z][A-Za-z0-9-]*$',
        maxLength: 40,
        examples: ['script', 'style', 'svg', 'nav', 'template'],
      },
      default: [],
      examples: [['script', 'style']],
      description:
        'Names of elements to leave out, with their content. The joined chunks are then not the whole text, and a header says how many elements were left out.',
    },
    carry: {
      type: 'array',
      items: { enum: ['headings', 'header'] },
      default: ['header'],
      description:
        'Content of context: headings is the path of the headings above the chunk, header is the header of the table in whose rows it begins.',
    },
    count_context: countContext,
  },
} as const;

export type HtmlOptions = FromSchema<typeof options>;

export default {
  kind: 'chunker',
  name: 'html',
  summary: 'Splits HTML along its headings and between block elements, table rows and list items.',
  options,
  fields: {
    heading_path: headingPathField,
    kinds: kindsField,
    rows: rowsField,
    context: contextField,
    context_shortened: contextShortenedField,
  },
  reports: {
    'html-skipped': 'Number of left-out elements by name, as in `script 3; style 1`, or `none`.',
  },
  example: {
    text: '<h1>Tea</h1><p>Boil water.</p><h2>Milk</h2><ul><li>whole</li><li>skimmed</li></ul>',
    chunk_size: 50,
  },
  formats: {
    extensions: ['.html', '.htm', '.xhtml', '.xht'],
    mediaTypes: ['text/html', 'application/xhtml+xml'],
  },
  needs: { packages: ['entities'] },
  uses: ['tokenizer'],
  light: true,
} as const satisfies Manifest;
