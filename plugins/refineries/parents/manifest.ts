import type { FromSchema } from 'json-schema-to-ts';
import type { Manifest } from '../../../core/kit.ts';

const options = {
  type: 'object',
  properties: {
    by: {
      enum: ['section', 'page', 'size'],
      default: 'section',
      description:
        'What to group into a parent: neighbouring chunks under the same headings, on the same page, or as many as fit; never more than parent_size.',
    },
    level: {
      type: 'integer',
      minimum: 1,
      maximum: 20,
      default: 2,
      description: 'How many headings of heading_path, from the first, the chunks of a section share.',
    },
    parent_size: {
      type: 'integer',
      minimum: 1,
      default: 2048,
      description: 'Maximum tokens per parent. A chunk that has more by itself is a parent of its own.',
    },
  },
} as const;

export type ParentsOptions = FromSchema<typeof options>;

export default {
  kind: 'refinery',
  name: 'parents',
  summary: 'Assigns each chunk to a larger parent: a section, a page, or a number of tokens.',
  options,
  fields: {
    parent_id: {
      type: 'string',
      format: 'uuid',
      description: 'The same for all chunks of a parent, and each time the same document is refined.',
    },
    parent_start_index: { type: 'integer', description: 'Where the first chunk of the parent begins.' },
    parent_end_index: { type: 'integer', description: 'Where the last chunk of the parent ends.' },
    parent_text: {
      type: 'string',
      description: 'The text of the parent; only the first chunk of each parent has it.',
    },
  },
  example: {
    chunks: [
      { text: 'Run it. ', start_index: 0, end_index: 8, token_count: 8 },
      { text: 'Wait. ', start_index: 8, end_index: 14, token_count: 6 },
      { text: 'Stop it.', start_index: 14, end_index: 22, token_count: 8 },
    ],
    by: 'size',
    parent_size: 16,
  },
  uses: ['tokenizer'],
  light: true,
} as const satisfies Manifest;
