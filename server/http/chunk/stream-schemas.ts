import { described, errorOfPart, listOf, natural, text } from '../../engine/answer/schemas.ts';
import { lines, orLines } from '../docs/answer-schemas.ts';
import { LINES } from '../transport/media.ts';
import { chunk } from './answers.ts';

/**
 * Schemas of streams. OpenAPI 3.1 cannot describe lines, so the schema of a stream is a string. Lines of the
 * answer have a schema with a name, from which clients generate a type.
 */

const streamLine = {
  title: 'StreamLine',
  type: 'object',
  description: 'The answer to a line: `chunks`, or the `error` of this line alone.',
  required: ['index'],
  properties: {
    index: described('The index of the document in the stream.', natural),
    id: described('The id of the document, if it has one.', text),
    embedding_empty: {
      type: 'integer',
      minimum: 1,
      description: 'Number of texts with no word that the model knows; missing if zero.',
    },
    embedding_empty_at: described('Their indexes, such as those of chunks; the first 100.', listOf(natural)),
    embedding_fallback: {
      type: 'integer',
      minimum: 1,
      description:
        'Number of texts in languages unknown to the model: their vectors are lexical; missing if zero.',
    },
    embedding_cut: {
      type: 'integer',
      minimum: 1,
      description: "Number of texts that are longer than the model's window; missing if zero.",
    },
    chunks: described('The same as in a JSON answer.', listOf(chunk)),
    error: errorOfPart,
  },
};

const HOW =
  'Each answer is sent as soon as it is ready, so read while you send: the server stops reading until its answers are read.';

export const documentStream = {
  title: 'DocumentStream',
  ...lines,
  description: `Lines of JSON: first the options, \`{}\` for none, then documents, as in \`documents\`. ${HOW}`,
};

export const chunksStream = {
  title: 'ChunksStream',
  ...lines,
  description: `Lines of JSON: first the options, \`{}\` for none, then lists of chunks, or objects with \`chunks\` and \`id\`, as in the answers of chunkers. ${HOW}`,
};

const streamAnswer = {
  title: 'StreamAnswer',
  ...lines,
  contentSchema: streamLine,
  description: 'A `StreamLine` for each document or list of chunks, in order.',
};

export function orStream(body: { readonly examples?: readonly object[] }, stream: object): object {
  const examples = body.examples?.map((example) => linesOf(streamed(example)));
  const sent = { ...stream, ...(examples !== undefined && { examples }) };
  return { content: { 'application/json': { schema: body }, [LINES]: { schema: sent } } };
}

function streamed(request: object): unknown[] {
  const { text, documents, chunks, ...options } = request as Readonly<Record<string, unknown>>;
  if (chunks !== undefined) return [options, ...(isBatch(chunks) ? chunks : [chunks])];
  if (Array.isArray(documents)) return [options, ...documents];
  // An empty `include` leaves out the fields of documents. Answers to a `text` do not have these fields.
  const plain = 'include' in options ? options : { ...options, include: [] };
  return [plain, ...[text].flat().map((one) => ({ text: one }))];
}

export function isBatch(list: unknown): list is readonly unknown[][] {
  return Array.isArray(list) && list.length > 0 && list.every(Array.isArray);
}

export function linesOf(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

export function orStreamed(answer: { readonly content: object }): object {
  return orLines(answer, streamAnswer);
}
