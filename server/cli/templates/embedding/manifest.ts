import type { Manifest } from 'chunksmith/kit';

// Data, and nothing else: it is read even if the plugin cannot run.
export default {
  kind: 'embedding',
  name: 'my-plugin',
  summary: 'Counts the letters a to z.',
  version: '0.1.0',
  engine: '^2.0.0',
  // A single plugin that is given to the factory under this name.
  uses: ['tokenizer/character'],
  // The names that requests give as "embedding_model"; an entry such as 'acme/*' matches all names with this prefix.
  models: ['my-plugin'],
} satisfies Manifest;
