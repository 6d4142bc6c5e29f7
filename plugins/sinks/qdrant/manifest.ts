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
      text_search: {
        type: 'boolean',
        default: false,
        description:
          'Whether chunks can be searched by their words, too (BM25 over `search_text` of the payload). Needs Qdrant 1.20.',
      },
      tokenizer: {
        type: 'string',
        enum: ['word', 'multilingual', 'code'],
        default: 'word',
        description: 'How words are found: multilingual for scripts without spaces, code splits identifiers.',
      },
    },
  },
  example: { collection: 'documents' },
  needs: { env: ['QDRANT_URL'] },
  urls: ['QDRANT_URL'],
  reads: ['QDRANT_API_KEY'],
  light: true,
} as const satisfies Manifest;
