import type { Manifest } from 'chunksmith/kit';

// Data, and nothing else: it is read even where the plugin cannot run.
export default {
  kind: 'tokenizer',
  name: 'my-plugin',
  summary: 'Counts words, each with the white space behind it.',
  version: '0.1.0',
  engine: '^1.0.0',
  // What requests can say as "tokenizer"; an entry such as 'acme/*' stands for all names with this beginning.
  models: ['my-plugin'],
} satisfies Manifest;
