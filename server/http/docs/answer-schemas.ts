import { count, described, object, text } from '../../engine/answer/schemas.ts';
import { LINES } from '../transport/media.ts';

/** The meaning of each error status; the README has the same table. */
export const MEANINGS: Readonly<Record<number, string>> = {
  400: 'Invalid parameters or malformed JSON.',
  401: 'The server requires a key, and the request has no valid one.',
  404: 'There is nothing at this path, or no pipeline, preset or job with this name or id.',
  405: 'The path does not support this method; the Allow header lists those it does.',
  409: 'A pipeline with this name already exists; or the job has not finished, or cannot be retried.',
  412: 'The pipeline has changed since the ETag in If-Match was issued.',
  413: 'The body exceeds the limit.',
  415: 'The content type is not application/json (or, for streams, application/x-ndjson); no reader accepts the file; or the encoding of the body is unknown.',
  422: 'The Idempotency-Key belongs to a job created by a different request; as the error of a job: too many or all of its documents failed.',
  429: 'More requests, or more wrong keys, than the rate limit allows; the Retry-After header says when to try again.',
  500: 'Something that the request needs is missing on this server, or a plugin or the server failed.',
  501: 'The request is sent in a transfer coding other than chunked.',
  503: 'The server is busy, and the Retry-After header says when to try again; or the request took too long; or the database or a storage cannot be used now.',
};

const error = { title: 'Error', ...object({ detail: described('What is wrong and what to change.', text) }) };

const retryAfter = { 'retry-after': described('Seconds after which a retry may succeed.', count) };

const HEADERS: Readonly<Record<number, Readonly<Record<string, object>>>> = {
  401: { 'www-authenticate': described('How a key is sent.', text) },
  405: { allow: described('The methods that the path supports.', text) },
  429: retryAfter,
  503: retryAfter,
};

export const nextPage = {
  link: described('URL of the next page, if there is one.', text),
  'x-next-cursor': described('Cursor of the next page, if there is one.', text),
};

export const cursor = described('The x-next-cursor of the previous answer.', text);

export function errorAnswers(statuses: readonly number[]): Record<number, object> {
  return Object.fromEntries(
    statuses.map((status) => [status, jsonAnswer(MEANINGS[status] as string, error, HEADERS[status])]),
  );
}

export function jsonAnswer(
  description: string,
  schema: object,
  headers: Readonly<Record<string, object>> = {},
  example?: unknown,
): { readonly description: string; readonly content: object } {
  const documented = Object.keys(headers).length === 0 ? {} : { headers };
  const media = { schema, ...(example !== undefined && { examples: { answer: { value: example } } }) };
  return { description, content: { 'application/json': media }, ...documented };
}

/** Schema of lines of JSON: a text, because OpenAPI 3.1 has no schema for streams. */
export const lines = { type: 'string', contentMediaType: LINES };

/** Adds lines of JSON to the media types of an answer. @param schema the schema of the lines */
export function orLines(answer: { readonly content: object }, schema: object): object {
  return { ...answer, content: { ...answer.content, [LINES]: { schema } } };
}
