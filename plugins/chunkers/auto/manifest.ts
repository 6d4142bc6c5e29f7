import type { FromSchema } from 'json-schema-to-ts';
import type { Manifest } from '../../../core/kit.ts';
import { chunkSize } from '../../../core/options.ts';
import { numberedHeadings } from '../../toolkit/numbered/options.ts';

/** The chunkers to choose from; `recursive` is the fallback. */
export const CHOICES = ['markdown', 'markup', 'html', 'xml', 'table', 'json', 'code', 'recursive'] as const;
export type Choice = (typeof CHOICES)[number];

export type Content = Choice | 'diff' | 'log' | 'mail' | 'lines';

const options = {
  type: 'object',
  properties: {
    chunk_size: chunkSize,
    numbered_headings: numberedHeadings,
    filename: {
      type: ['string', 'null'],
      default: null,
      minLength: 1,
      maxLength: 4096,
      examples: ['README.md', 'data/cities.csv'],
      description:
        "Name of the text's file, or its path. Default: the document's `filename`, else its `id`. It decides if its extension is known.",
    },
  },
} as const;

export type AutoOptions = FromSchema<typeof options> & {
  readonly [Name in Choice]?: Readonly<Record<string, unknown>>;
};

export default {
  kind: 'chunker',
  name: 'auto',
  summary:
    'Detects Markdown and other markup, HTML, XML, tables, JSON, source code, diffs, logs or prose by file name and content, and splits the text with the matching chunker.',
  options,
  fields: { chunker: { enum: CHOICES, description: 'The chunker that was chosen for the text.' } },
  reports: { 'auto-chunker': 'The chunker that was chosen; for a list of texts, one for each.' },
  example: { text: '# Tea\n\nBoil water.\n\n## Milk\n\n- whole\n- skimmed\n', chunk_size: 30 },
  uses: ['tokenizer', 'chunker/recursive'],
  chooses: CHOICES.map((name) => `chunker/${name}` as const),
  chosenDefaults: { code: { oversize: 'members' } },
} as const satisfies Manifest;
