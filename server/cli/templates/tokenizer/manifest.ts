import type { Manifest } from 'chunksmith/kit';

// Data, and nothing else: it is read even if the plugin cannot run.
export default {
  kind: 'tokenizer',
  name: 'my-plugin',
  summary: 'Counts words, each with the white space after it.',
  version: '0.1.0',
  engine: '^2.0.0',
  // The names that requests give as "tokenizer"; an entry such as 'acme/*' matches all names with this prefix.
  models: ['my-plugin'],
} satisfies Manifest;
