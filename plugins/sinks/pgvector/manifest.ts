import type { Manifest } from '../../../core/kit.ts';

const name = { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$' } as const;

export default {
  kind: 'sink',
  name: 'pgvector',
  summary: 'Stores chunks as rows of a table of PostgreSQL, with their vectors for pgvector.',
  options: {
    type: 'object',
    properties: {
      table: { ...name, default: 'chunks', description: 'Name of the table. It is made if it is not there.' },
      schema: { ...name, default: 'public', description: 'Schema of the table, which must be there.' },
      vectors: {
        type: 'string',
        enum: ['vector', 'array'],
        default: 'vector',
        description: 'Type of the vectors: that of the extension pgvector, or real[], which needs none.',
      },
    },
  },
  example: { table: 'documents', vectors: 'array' },
  needs: { packages: ['pg'], env: ['PGVECTOR_URL'] },
  light: true,
} as const satisfies Manifest;
