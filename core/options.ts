/**
 * JSON Schemas of request parameters that several plugins share. They use these custom keywords:
 *
 * - `lessThan: "<parameter>"`: the value must be below the other parameter's value
 * - `excludes: ["<parameter>"]`: the named parameters must have their defaults
 * - `effectiveWith: {"<parameter>": [<values>]}`: has an effect only if the other parameter has one of these values
 */

export const chunkSize = {
  type: 'integer',
  minimum: 1,
  default: 512,
  description: 'Maximum tokens per chunk.',
} as const;

export const splitLevel = {
  type: 'integer',
  minimum: 0,
  maximum: 6,
  default: 0,
  description:
    'Begins a new chunk at every heading of this level or above, even if more would fit; 0 cuts only by size.',
} as const;

export const chunkOverlap = {
  type: 'integer',
  minimum: 0,
  default: 0,
  lessThan: 'chunk_size',
  description: 'Tokens that a chunk repeats from the end of the previous one. Less than chunk_size.',
} as const;

export const oversize = {
  enum: ['keep', 'split'],
  default: 'keep',
  description:
    'A single sentence, function or class above chunk_size: kept whole, or split so that chunk_size is a hard limit.',
} as const;

export const minimumChunk = {
  type: 'number',
  minimum: 0,
  default: 0.2,
  description:
    'A chunk of fewer tokens joins a neighbour, as far as chunk_size allows it. Below 1: a fraction of chunk_size; from 1 up: a number of tokens.',
} as const;

export const countContext = {
  type: 'boolean',
  default: false,
  description: 'Whether chunk_size limits the context and the text together.',
} as const;
