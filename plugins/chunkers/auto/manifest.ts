import type { FromSchema } from 'json-schema-to-ts';
import type { Manifest } from '../../../core/kit.ts';
import { chunkSize } from '../../../core/options.ts';

/** Between what it chooses; `recursive` takes what is none of the others'. */
export const CHOICES = ['markdown', 'html', 'table', 'json', 'code', 'recursive'] as const;
export type Choice = (typeof CHOICES)[number];

const options = {
  type: 'object',
  properties: {
    chunk_size: chunkSize,
    filename: {
      type: ['string', 'null'],
      default: null,
      minLength: 1,
      maxLength: 4096,
      examples: ['README.md', 'data/cities.csv'],
      description:
        "Name of the text's file, or its path. Without it the document's `filename`, else its `id`. It decides if its ending says something.",
    },
  },
} as const;

export type AutoOptions = FromSchema<typeof options> & {
  /** The options of the chunkers that are here, each under its name. */
  readonly [Name in Choice]?: Readonly<Record<string, unknown>>;
};

export default {
  kind: 'chunker',
  name: 'auto',
  summary:
    'Chooses by file name and content between Markdown, HTML, tables, JSON, source code and prose, and splits each as its own chunker does.',
  options,
  fields: { chunker: { enum: CHOICES, description: 'The chunker that was chosen for the text.' } },
  reports: { 'auto-chunker': 'The chunker that was chosen; of a list of texts one for each.' },
  example: { text: '# Tea\n\nBoil water.\n\n## Milk\n\n- whole\n- skimmed\n', chunk_size: 30 },
  uses: ['tokenizer', 'chunker/recursive'],
  chooses: [
    'chunker/markdown',
    'chunker/html',
    'chunker/table',
    'chunker/json',
    'chunker/code',
    'chunker/recursive',
  ],
  chosenDefaults: { code: { oversize: 'split' } },
} as const satisfies Manifest;
