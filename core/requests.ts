import type { Manifest, ObjectSchema } from './contracts.ts';
import { OFFSET_UNITS } from './json-chunks.ts';

/** What requests look like: what every plugin of a kind takes, and the plugin's own options. */

const text = {
  anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
  description: 'A text, or a list of texts: the answer is then a list of lists, in the same order.',
} as const;

const tokenizer = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  default: 'character',
  description:
    'What a token is: character, gpt2, cl100k_base, another encoding of tiktoken, or the name of an installed tokenizer of the hub.',
} as const;

const offsetUnit = {
  enum: OFFSET_UNITS,
  default: 'code_point',
  description:
    'Unit of start_index and end_index: code points (Python), UTF-16 units (JavaScript, Java) or bytes of UTF-8 (Go, Rust).',
} as const;

const count = { type: 'integer', minimum: 0 } as const;

const chunk = {
  type: 'object',
  required: ['text', 'start_index', 'end_index', 'token_count'],
  properties: { text: { type: 'string' }, start_index: count, end_index: count, token_count: count },
} as const;

const chunksOfOne = { type: 'array', items: chunk } as const;
const chunksOfMany = { type: 'array', items: chunksOfOne } as const;

/** The request that executes a pipeline. */
export const executeRequest: ObjectSchema = {
  type: 'object',
  required: ['text'],
  properties: { text },
  additionalProperties: false,
};

/** The whole request of a chunker. */
export function chunkRequest(manifest: Manifest): ObjectSchema {
  return withMember('text', text, stepOptions(manifest));
}

/**
 * The whole request of a refinery; for the documentation, or for chunks of which it is known whether they
 * are those of one document or of many, so that an error can name the bad chunk.
 */
export function refineRequest(manifest: Manifest, documents: 'one' | 'many' | 'any'): ObjectSchema {
  const chunks = {
    one: chunksOfOne,
    many: chunksOfMany,
    any: { anyOf: [chunksOfOne, chunksOfMany] },
  }[documents];
  const description = 'Chunks as a chunker answers them; further fields come back untouched.';
  return withMember('chunks', { ...chunks, description }, stepOptions(manifest));
}

/**
 * The options of a pipeline's step: a request without its text or chunks. Only those must be given that
 * the manifest lists as `required` and that have no default.
 */
export function stepOptions({ kind, options, uses }: Manifest): ObjectSchema {
  const own = options?.properties ?? {};
  const hasDefault = (name: string) => 'default' in (own[name] as object);
  return {
    type: 'object',
    required: (options?.required ?? []).filter((name) => !hasDefault(name)),
    properties: {
      ...(uses?.includes('tokenizer') ? { tokenizer } : {}),
      ...own,
      ...(kind === 'chunker' ? { offset_unit: offsetUnit } : {}),
    },
    additionalProperties: false,
  };
}

function withMember(
  name: string,
  schema: object,
  { required = [], properties, ...rest }: ObjectSchema,
): ObjectSchema {
  return { ...rest, required: [name, ...required], properties: { [name]: schema, ...properties } };
}
