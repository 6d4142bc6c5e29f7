import type { Manifest } from '../../../core/kit.ts';

const name = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{1,126}[A-Za-z0-9]$' } as const;

export default {
  kind: 'sink',
  name: 'chroma',
  summary: 'Stores chunks with their vectors as records of a Chroma collection.',
  options: {
    type: 'object',
    properties: {
      collection: {
        ...name,
        default: 'chunks',
        description: 'Name of the collection. Created if missing.',
      },
      tenant: { ...name, default: 'default_tenant', description: 'Tenant that the database belongs to.' },
      database: { ...name, default: 'default_database', description: 'Database, which must exist.' },
      text_search: {
        type: 'boolean',
        default: false,
        description: 'Chroma cannot rank by words: true is an error.',
      },
    },
  },
  example: { collection: 'documents' },
  needs: { env: ['CHROMA_URL'] },
  urls: ['CHROMA_URL'],
  reads: ['CHROMA_API_KEY'],
  light: true,
} as const satisfies Manifest;
