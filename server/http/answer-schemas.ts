import type { Manifest } from '../../core/contracts/manifest.ts';

/** Schemas of answers, for the documentation. */

const chunk = {
  type: 'object',
  required: ['text', 'start_index', 'end_index', 'token_count'],
  properties: {
    text: { type: 'string', description: 'A stretch of the text, unchanged.' },
    start_index: {
      type: 'integer',
      description: 'Where the chunk begins in the text, in the unit of the request.',
    },
    end_index: { type: 'integer', description: 'Where the chunk ends in the text.' },
    token_count: {
      type: 'integer',
      description: "Tokens of the chunk, as the request's tokenizer counts them.",
    },
  },
} as const;

/** The answer of a chunker: a list of chunks, or of lists for a batch, with the fields that the plugin adds. */
export function chunkAnswer({ fields = {} }: Manifest) {
  const chunks = { type: 'array', items: { ...chunk, properties: { ...chunk.properties, ...fields } } };
  return {
    anyOf: [chunks, { type: 'array', items: chunks }],
    description: 'The chunks of the text; for a list of texts a list of lists, in the same order.',
    examples: [[{ text: 'A first sentence. ', start_index: 0, end_index: 18, token_count: 18 }]],
  };
}

/** The answer of a refinery: chunks in the shape of the request, with the fields that the plugin adds. */
export function refineAnswer({ fields = {} }: Manifest) {
  const refined = {
    type: 'array',
    items: {
      ...chunk,
      properties: { ...chunk.properties, ...fields },
      additionalProperties: true,
      description: 'The chunk as it came, with what was added.',
    },
  };
  return {
    anyOf: [refined, { type: 'array', items: refined }],
    description: 'The chunks in their order; for a list of lists a list of lists.',
    examples: [[{ text: 'A first sentence. ', start_index: 0, end_index: 18, token_count: 18 }]],
  };
}

const output = {
  type: 'object',
  required: ['id', ...chunk.required, 'context', 'embedding'],
  properties: {
    id: {
      type: 'string',
      format: 'uuid',
      description: 'Follows from steps, text and place: a second run gives the same.',
    },
    ...chunk.properties,
    context: {
      type: ['string', 'null'],
      description: 'Overlap with the neighbours; null if there is none.',
    },
    embedding: {
      type: ['array', 'null'],
      items: { type: 'number' },
      description: 'Null if no step made one.',
    },
  },
  additionalProperties: true,
} as const;

const outputs = { type: 'array', items: output } as const;

/** The answer of a pipeline: a list of chunks, or of lists for a batch. */
export const executeAnswer = {
  anyOf: [outputs, { type: 'array', items: outputs }],
  description: 'The chunks of the text; for a list of texts a list of lists, in the same order.',
  examples: [
    [
      {
        id: '9f0c4f0e-2f0e-5b0a-8a35-6d2f1c7b9e10',
        text: 'First sentence. ',
        start_index: 0,
        end_index: 16,
        token_count: 16,
        context: null,
        embedding: null,
      },
    ],
  ],
} as const;

/** What each status of an error means; the README has the same table. */
export const MEANINGS: Readonly<Record<number, string>> = {
  400: 'Invalid parameters or malformed JSON.',
  401: 'The server requires a key, and the request carries none that it knows.',
  404: 'There is nothing at this path, or no pipeline of this id.',
  405: 'The path takes another method; the Allow header has it.',
  409: 'There is a pipeline of this name already.',
  412: 'The pipeline has changed since the ETag of If-Match was given.',
  413: 'The body is over the limit.',
  415: 'The content type is not application/json.',
  429: 'More requests than the rate limit allows; the Retry-After header says when to try again.',
  500: 'Something that the request needs is missing here, or a plugin or the server failed.',
  503: 'The server is busy, and the Retry-After header says when to try again; or the request took too long, or the store of pipelines cannot be used now.',
};

const problem = {
  type: 'object',
  required: ['detail'],
  properties: { detail: { type: 'string', description: 'What is wrong and what to change.' } },
} as const;

/** The answers of errors, for the documentation of a route. */
export function errorAnswers(statuses: readonly number[]): Record<number, object> {
  return Object.fromEntries(
    statuses.map((status) => [status, { ...problem, description: MEANINGS[status] }]),
  );
}
