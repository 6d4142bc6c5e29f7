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
        'Maximum rows per chunk, excluding the header; chunk_size still applies. By default only chunk_size applies.',
    },
    min_chunk_size: minimumChunk,
    format: {
      enum: ['auto', 'csv', 'tsv', 'markdown', 'html'],
      default: 'auto',
      description: 'Format of the tables; auto chooses HTML or Markdown if it finds such a table, else CSV.',
    },
    delimiter: {
      type: ['string', 'null'],
      effectiveWith: { format: ['auto', 'csv', 'tsv'] },
      ...character,
      default: null,
      examples: [',', ';', '\t', '|'],
      description:
        'Field delimiter of CSV. Default: a tab with format tsv, else the one of comma, tab, semicolon and pipe by which the first records have the same number of fields.',
    },
    quote: {
      type: ['string', 'null'],
      effectiveWith: { format: ['auto', 'csv', 'tsv'] },
      ...character,
      default: '"',
      examples: ["'"],
      description:
        'Quote character around CSV fields that contain delimiters or line breaks; doubled within them. null means none.',
    },
    header_rows: {
      type: ['integer', 'null'],
      minimum: 0,
      maximum: 10,
      default: null,
      description:
        'Number of header rows. Default: one in CSV and Markdown; in HTML those of thead, or the first rows with only th.',
    },
    carry: {
      enum: ['header', 'none'],
      default: 'header',
      description: 'Whether chunks that begin after the header have it as context.',
    },
    count_context: countContext,
    oversize: {
      enum: ['split', 'keep'],
      default: 'split',
      description:
        'How to treat a row above chunk_size: split it between its cells, then as text, or keep it whole.',
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
    'table-dialect': 'The detected format: csv and the name of its delimiter, tsv, markdown or html.',
  },
  example: { text: 'city,people\nOslo,709037\nRome,2748109\nLima,10092000\n', chunk_size: 27 },
  uses: ['tokenizer'],
  guarantees: { lossless: true },
} as const satisfies Manifest;
