import type { Manifest } from 'chunksmith/kit';

// Data, and nothing else: it is read even where the plugin cannot run.
export default {
  kind: 'embedding',
  name: 'my-plugin',
  summary: 'Counts the letters a to z.',
  version: '0.1.0',
  engine: '^1.0.0',
  // A single plugin that is given to the factory under this name.
  uses: ['tokenizer/character'],
  // What requests can say as "embedding_model"; an entry such as 'acme/*' stands for all names with this beginning.
  models: ['my-plugin'],
} satisfies Manifest;
