import type { Manifest } from 'chunksmith/kit';

// Data, and nothing else: it is read even if the plugin cannot run.
export default {
  kind: 'chunker',
  // The name of the folder, and of the route: POST /v1/chunk/my-plugin
  name: 'my-plugin',
  summary: 'Cuts after a mark of your choice.',
  version: '0.1.0',
  engine: '^2.0.0',
  // JSON Schema of the request parameters: it validates them, fills in defaults and generates the documentation.
  options: {
    type: 'object',
    properties: {
      chunk_size: { type: 'integer', minimum: 1, default: 512, description: 'Maximum tokens per chunk.' },
      mark: {
        type: 'string',
        minLength: 1,
        default: '\n---\n',
        description: 'The mark that ends a section.',
      },
    },
  },
  // Must work when pasted.
  example: { text: 'One\n---\nTwo', chunk_size: 8 },
  // Adds the parameter `tokenizer`, which defines what a token is.
  uses: ['tokenizer'],
  // lossless: no text is lost; bounded: no chunk is over chunk_size.
  guarantees: { lossless: true, bounded: true },
} satisfies Manifest;
