import type { FromSchema } from 'json-schema-to-ts';
import type { Manifest } from '../../../core/kit.ts';

const options = {
  type: 'object',
  properties: {
    template: {
      type: 'string',
      minLength: 1,
      maxLength: 2000,
      default: '{title}\n{heading_path}\n{context}',
      examples: [
        '{title}: {heading_path}\n{metadata.author}',
        '{title|filename}\n{scope}\n{names}\n{metadata}',
        '{{{previous:5}}}\n{next:3}',
        'the same for all',
      ],
      description:
        'Template of the context, with the values {title}, {filename}, {id}, {heading_path}, {scope}, {names} and {words} of code, {metadata}, {metadata.<name>}, {previous:<characters>}, {next:<characters>} and {context}, the existing one; {title|filename} is the first that is not empty. A line with values is left out if all are empty, or if it is equal to the line before; {{ and }} are literal braces.',
    },
    separator: {
      type: 'string',
      maxLength: 20,
      default: ' > ',
      description: 'Separator between the headings of heading_path, and between the units of scope.',
    },
    max_length: {
      type: 'integer',
      minimum: 1,
      maximum: 20_000,
      default: 2000,
      description: 'Maximum characters of a context; the rest is cut off.',
    },
  },
} as const;

export type ContextOptions = FromSchema<typeof options>;

export default {
  kind: 'refinery',
  name: 'context',
  summary: 'Sets the context of each chunk from a template, without a model.',
  options,
  fields: {
    context: {
      type: ['string', 'null'],
      description: 'The rendered template; null if all its values are empty.',
    },
  },
  example: {
    chunks: [
      { text: 'The quick brown fox ', start_index: 0, end_index: 20, token_count: 20 },
      { text: 'jumps over the lazy ', start_index: 20, end_index: 40, token_count: 20 },
      { text: 'dog and sleeps.', start_index: 40, end_index: 55, token_count: 15 },
    ],
    template: '{title}\nAfter: {previous:10}\nBefore: {next:10}',
  },
  light: true,
} as const satisfies Manifest;
