import type { Manifest } from 'chunksmith/kit';

// Data, and nothing else: it is read even if the plugin cannot run.
export default {
  kind: 'refinery',
  // The name of the folder, and of the route: POST /v1/refine/my-plugin
  name: 'my-plugin',
  summary: 'Puts a label before each chunk.',
  version: '0.1.0',
  engine: '^2.0.0',
  // JSON Schema of the request parameters: it validates them, fills in defaults and generates the documentation.
  options: {
    type: 'object',
    properties: { label: { type: 'string', default: '> ', description: 'Text put before each chunk.' } },
  },
  // Must work when pasted.
  example: { chunks: [{ text: 'Tea', start_index: 0, end_index: 3, token_count: 3 }], label: '* ' },
  // Adds the parameter `tokenizer`, and provides the tokenizer that a request names.
  uses: ['tokenizer'],
} satisfies Manifest;
