import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'sink',
  name: 'qdrant',
  summary: 'Stores chunks as points of a Qdrant collection.',
  options: {
    type: 'object',
    properties: {
      collection: {
        type: 'string',
        pattern: '^[A-Za-z0-9_-]{1,200}$',
        default: 'chunks',
        description: 'Name of the collection. Created if missing.',
      },
    },
  },
  example: { collection: 'documents' },
  needs: { env: ['QDRANT_URL'] },
  urls: ['QDRANT_URL'],
  reads: ['QDRANT_API_KEY'],
  light: true,
} as const satisfies Manifest;
