import { LINES } from '../transport/media.ts';
import { chunk } from './answers.ts';

/**
 * Schemas of streams. OpenAPI 3.1 has none for lines, so a stream is a text, and the line of the answer is described
 * by a named schema, so that clients get its type.
 */

/** Why one part of a request failed, and no other. */
export const errorOfPart = {
  type: 'object',
  required: ['status', 'detail'],
  properties: {
    status: { type: 'integer', description: 'The status that a request with only this input would have.' },
    detail: { type: 'string', description: 'What is wrong and what to change.' },
  },
} as const;

const streamLine = {
  title: 'StreamLine',
  type: 'object',
  description: 'The answer to a line: `chunks`, or the `error` of this line alone.',
  required: ['index'],
  properties: {
    index: { type: 'integer', minimum: 0, description: 'The index of the document in the stream.' },
    id: { type: 'string', description: 'The id of the document, if it has one.' },
    embedding_empty: {
      type: 'integer',
      minimum: 1,
      description: 'Number of texts with no word that the model knows; missing if zero.',
    },
    chunks: { type: 'array', items: chunk, description: 'The same as in a JSON answer.' },
    error: errorOfPart,
  },
} as const;

const lines = { type: 'string', contentMediaType: LINES } as const;

const HOW =
  'Each answer is sent as soon as it is ready, so read while you send: the server stops reading until its answers are read.';

export const documentStream = {
  title: 'DocumentStream',
  ...lines,
  description: `Lines of JSON: first the options, \`{}\` for none, then documents, as in \`documents\`. ${HOW}`,
} as const;

export const chunksStream = {
  title: 'ChunksStream',
  ...lines,
  description: `Lines of JSON: first the options, \`{}\` for none, then lists of chunks, or objects with \`chunks\` and \`id\`, as in the answers of chunkers. ${HOW}`,
} as const;

const streamAnswer = {
  title: 'StreamAnswer',
  ...lines,
  contentSchema: streamLine,
  description: 'A `StreamLine` for each document or list of chunks, in order.',
} as const;

/** A body that may also be a stream. */
export function orStream(body: object, stream: object): object {
  return { content: { 'application/json': { schema: body }, [LINES]: { schema: stream } } };
}

/** An answer that may also be a stream: to a stream, or for `Accept: application/x-ndjson`. */
export function orStreamed(answer: { readonly content: object }): object {
  return { ...answer, content: { ...answer.content, [LINES]: { schema: streamAnswer } } };
}
