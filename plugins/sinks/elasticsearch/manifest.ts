import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'sink',
  name: 'elasticsearch',
  summary: 'Stores chunks as documents of an index of Elasticsearch or OpenSearch.',
  options: {
    type: 'object',
    properties: {
      index: {
        type: 'string',
        pattern: '^[a-z0-9][a-z0-9._-]{0,199}$',
        default: 'chunks',
        description: 'Name of the index, in lower case. Created if missing.',
      },
      engine: {
        type: 'string',
        enum: ['elasticsearch', 'opensearch'],
        default: 'elasticsearch',
        description: 'Which of the two products it is: they map vectors differently.',
      },
      text_search: {
        type: 'boolean',
        default: false,
        description:
          'Whether chunks can be searched by the words of their context, too: with their text in `search_text`.',
      },
      analyzer: {
        effectiveWith: { text_search: [true] },
        type: ['string', 'null'],
        pattern: '^[A-Za-z0-9_.-]{1,100}$',
        default: null,
        examples: ['english', 'german', 'cjk', 'thai'],
        description:
          "Analyzer of `search_text`: that of the texts' language, or cjk for Chinese, Japanese and Korean. Default: standard for a new index, any for an existing one.",
      },
    },
  },
  example: { index: 'documents', engine: 'opensearch' },
  needs: { env: ['ELASTICSEARCH_URL'] },
  urls: ['ELASTICSEARCH_URL'],
  reads: ['ELASTICSEARCH_API_KEY', 'ELASTICSEARCH_USERNAME', 'ELASTICSEARCH_PASSWORD'],
  light: true,
} as const satisfies Manifest;
