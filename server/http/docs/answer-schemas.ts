/** What each status of an error means; the README has the same table. */
export const MEANINGS: Readonly<Record<number, string>> = {
  400: 'Invalid parameters or malformed JSON.',
  401: 'The server requires a key, and the request carries none that it knows.',
  404: 'There is nothing at this path, or no pipeline or job of this id.',
  405: 'The path takes another method; the Allow header has it.',
  409: 'There is a pipeline of this name already; or the job is not over, or cannot be retried.',
  412: 'The pipeline has changed since the ETag of If-Match was given.',
  413: 'The body is over the limit.',
  415: 'The content type is not application/json, nor application/x-ndjson where streams are taken; no reader takes the file; or the encoding of the body is not known.',
  422: 'The Idempotency-Key belongs to a job that was asked for with another request; of a job: too many of its documents failed, or all.',
  429: 'More requests than the rate limit allows; the Retry-After header says when to try again.',
  500: 'Something that the request needs is missing here, or a plugin or the server failed.',
  503: 'The server is busy, and the Retry-After header says when to try again; or the request took too long, or the database, or a storage, cannot be used now.',
};

const error = {
  title: 'Error',
  type: 'object',
  required: ['detail'],
  properties: { detail: { type: 'string', description: 'What is wrong and what to change.' } },
} as const;

const retryAfter = {
  'retry-after': { type: 'integer', description: 'Seconds after which to try again, if that may help.' },
};

/** The headers that come with an error of each status. */
const HEADERS: Readonly<Record<number, Readonly<Record<string, object>>>> = {
  401: { 'www-authenticate': { type: 'string', description: 'How a key is sent.' } },
  405: { allow: { type: 'string', description: 'The methods that the path takes.' } },
  429: retryAfter,
  503: retryAfter,
};

/** The answers of errors, for the documentation of a route. */
export function errorAnswers(statuses: readonly number[]): Record<number, object> {
  return Object.fromEntries(
    statuses.map((status) => [status, jsonAnswer(MEANINGS[status] as string, error, HEADERS[status])]),
  );
}

/** An answer in JSON, for the documentation of a route. */
export function jsonAnswer(
  description: string,
  schema: object,
  headers: Readonly<Record<string, object>> = {},
): { readonly description: string; readonly content: object } {
  const documented = Object.keys(headers).length === 0 ? {} : { headers };
  return { description, content: { 'application/json': { schema } }, ...documented };
}
