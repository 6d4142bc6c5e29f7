import type { Manifest } from '../../../core/kit.ts';

const name = { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$' } as const;

export default {
  kind: 'sink',
  name: 'pgvector',
  summary: 'Stores chunks as rows of a PostgreSQL table, with their vectors for pgvector.',
  options: {
    type: 'object',
    properties: {
      table: { ...name, default: 'chunks', description: 'Name of the table. Created if missing.' },
      schema: { ...name, default: 'public', description: 'Schema of the table, which must exist.' },
      vectors: {
        type: 'string',
        enum: ['vector', 'array'],
        default: 'vector',
        description:
          'Type of the vectors: that of the extension pgvector, or real[], which needs no extension.',
      },
      text_search: {
        type: 'boolean',
        default: false,
        description:
          'Whether to set up hybrid search: a column of words that PostgreSQL computes, its index, and the function <table>_search, which fuses vectors and words. An existing table is not altered.',
      },
      language: {
        type: 'string',
        pattern: '^[a-z_][a-z0-9_]{0,62}$',
        default: 'english',
        description:
          'Text search configuration for the words, such as german; simple for languages that PostgreSQL does not know. Chinese, Japanese, Korean and Thai are searched by pairs of characters in each.',
      },
    },
  },
  example: { table: 'documents', vectors: 'array' },
  needs: { packages: ['pg'], env: ['PGVECTOR_URL'] },
  light: true,
} as const satisfies Manifest;
