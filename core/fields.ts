/** JSON Schemas of chunk fields that several chunkers of structured texts use. */

export const headingPathField = {
  type: 'array',
  items: { type: 'string' },
  description:
    'The headings that apply to the whole chunk, the highest first, as plain text of at most 200 characters each.',
} as const;

export const kindsField = {
  type: 'array',
  items: { type: 'string' },
  description: 'The kinds of blocks in the chunk, each once, in the order of the text.',
} as const;

export const contextField = {
  type: 'string',
  description:
    'What a reader needs to know before the text and is not part of it: the beginning of the element in whose middle the chunk begins.',
} as const;

export const contextShortenedField = {
  type: 'boolean',
  description: 'True if the context was too large, and some or all of it was left out.',
} as const;

export const rowsField = {
  type: 'array',
  items: { type: 'integer' },
  minItems: 2,
  maxItems: 2,
  description: 'The first and the last table row in the chunk, counted from 1 without the header.',
} as const;
