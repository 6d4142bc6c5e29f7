/** Fields that chunkers of structured texts add to chunks, each written once as JSON Schema. */

export const headingPathField = {
  type: 'array',
  items: { type: 'string' },
  description:
    'The headings that all of the chunk stands under, the highest first, in plain words and at most 200 characters each.',
} as const;

export const kindsField = {
  type: 'array',
  items: { type: 'string' },
  description: 'The kinds of blocks that it holds, each once, in the order of the text.',
} as const;

export const contextField = {
  type: 'string',
  description:
    'What a reader has to know before the text, which is no part of it: what an element begins with in whose middle the chunk begins.',
} as const;

export const contextShortenedField = {
  type: 'boolean',
  description: 'True if the context was too large, and some or all of it is left out.',
} as const;

export const rowsField = {
  type: 'array',
  items: { type: 'integer' },
  minItems: 2,
  maxItems: 2,
  description: 'The first and the last row of its table that it holds, from 1, without those of the header.',
} as const;
