import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { Components, Document, Header, Media, Operation, Reference, Response } from './document.ts';
import { SchemaCollector } from './schemas.ts';

const REQUEST_ID: Header = {
  description: 'Id of the request, as in the log: the one that the request gave, or a new one.',
  schema: { type: 'string' },
};

/**
 * Gives the parts of a document that are there more than once a name: schemas with a title in one word, the answers
 * of errors, and the header that every answer has.
 */
export function nameComponents(document: Document): void {
  const { components, paths } = document;
  const schemas = new SchemaCollector(components.schemas);
  components.headers = { RequestId: REQUEST_ID };
  const responses: Record<string, Response> = {};
  components.responses = responses;
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations)) nameParts(operation, schemas, responses);
  }
}

function nameParts(
  { parameters = [], requestBody, responses }: Operation,
  schemas: SchemaCollector,
  named: NonNullable<Components['responses']>,
): void {
  for (const parameter of parameters) {
    if (parameter.schema !== undefined) parameter.schema = schemas.collect(parameter.schema);
  }
  for (const media of mediaOf(requestBody)) media.schema = schemas.collect(media.schema);
  for (const [status, response] of Object.entries(responses)) {
    if ('$ref' in response) continue;
    for (const media of mediaOf(response)) media.schema = schemas.collect(media.schema);
    response.headers = { 'x-request-id': { $ref: '#/components/headers/RequestId' }, ...response.headers };
    if (Number(status) >= 400) responses[status] = nameResponse(status, response, named);
  }
}

function mediaOf(part: { readonly content?: Readonly<Record<string, Media>> } = {}): Media[] {
  return Object.values(part.content ?? {});
}

/** The same answer to the same error is one component: `MethodNotAllowed`. */
function nameResponse(
  status: string,
  response: Response,
  named: Record<string, Response>,
): Response | Reference {
  const name = (STATUS_CODES[status] ?? `Error ${status}`).replace(/\W/g, '');
  named[name] ??= response;
  return isDeepStrictEqual(named[name], response) ? { $ref: `#/components/responses/${name}` } : response;
}
