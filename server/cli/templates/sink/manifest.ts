import type { Manifest } from 'chunksmith/kit';

// Data, and nothing else: it is read even if the plugin cannot run.
export default {
  kind: 'sink',
  name: 'my-plugin',
  summary: 'Stores the chunks of each document as a file of JSON.',
  version: '0.1.0',
  engine: '^2.0.0',
  // JSON Schema of a job's target options. Addresses and keys come from variables: see `urls` and `needs.env`.
  options: {
    type: 'object',
    properties: {
      folder: {
        type: 'string',
        description: 'Folder for the files; created if missing, in an existing folder.',
      },
    },
    required: ['folder'],
  },
  example: { folder: '/tmp/chunks' },
} satisfies Manifest;
