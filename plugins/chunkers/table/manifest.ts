import type { FromSchema } from 'json-schema-to-ts';
import { contextField, contextShortenedField, rowsField } from '../../../core/fields.ts';
import type { Manifest } from '../../../core/kit.ts';
import { chunkSize, countContext, minimumChunk } from '../../../core/options.ts';

const character = { minLength: 1, maxLength: 1 } as const;

const options = {
  type: 'object',
  properties: {
    chunk_size: chunkSize,
    rows_per_chunk: {
      type: ['integer', 'null'],
      minimum: 1,
      default: null,
      excludes: ['min_chunk_size'],
      description:
        'Most rows of a chunk, the header aside; chunk_size stays a limit. Without it chunk_size alone counts.',
    },
    min_chunk_size: minimumChunk,
    format: {
      enum: ['auto', 'csv', 'tsv', 'markdown', 'html'],
      default: 'auto',
      description:
        'What the tables are written in; auto takes HTML or Markdown where it finds a table of these, else CSV.',
    },
    delimiter: {
      type: ['string', 'null'],
      effectiveWith: { format: ['auto', 'csv', 'tsv'] },
      ...character,
      default: null,
      examples: [',', ';', '\t', '|'],
      description:
        'What parts the fields of CSV; without it the one of comma, tab, semicolon and pipe by which the first records have the same number of fields, and a tab with format tsv.',
    },
    quote: {
      type: ['string', 'null'],
      effectiveWith: { format: ['auto', 'csv', 'tsv'] },
      ...character,
      default: '"',
      examples: ["'"],
      description:
        'What encloses fields of CSV that hold delimiters or line breaks; doubled within them. null if there is none.',
    },
    header_rows: {
      type: ['integer', 'null'],
      minimum: 0,
      maximum: 10,
      default: null,
      description:
        'Rows of the header. Without it one in CSV and Markdown, and in HTML those of thead, or the first rows that have th alone.',
    },
    carry: {
      enum: ['header', 'none'],
      default: 'header',
      description: 'Whether chunks that begin behind the header have it as context.',
    },
    count_context: countContext,
    oversize: {
      enum: ['split', 'keep'],
      default: 'split',
      description:
        'What becomes of a row above chunk_size: split between its cells, then as text, or kept whole.',
    },
  },
} as const;

export type TableOptions = FromSchema<typeof options>;

export default {
  kind: 'chunker',
  name: 'table',
  summary: 'Splits CSV, TSV and the tables of Markdown and HTML between rows, with the header as context.',
  options,
  fields: { context: contextField, context_shortened: contextShortenedField, rows: rowsField },
  reports: {
    'table-dialect': 'What was read: csv and the name of its delimiter, tsv, markdown or html.',
  },
  example: { text: 'city,people\nOslo,709037\nRome,2748109\nLima,10092000\n', chunk_size: 27 },
  uses: ['tokenizer'],
  guarantees: { lossless: true },
} as const satisfies Manifest;
