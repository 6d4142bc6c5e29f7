import { Ajv, type ValidateFunction } from 'ajv';
import fc from 'fast-check';
import { readOpenApi } from '../support/openapi.ts';
import type { Client } from '../support/server.ts';
import { anyRequest, type FuzzRequest, type Json, type Operation } from './made-up-requests.ts';

/** A request whose answer was not as promised, and why. */
export interface Breach {
  readonly request: FuzzRequest;
  readonly status: number;
  readonly reason: string;
  readonly answer: string;
}

/** Sends requests that are made from the server's own description of itself, and checks every answer. */
export async function fuzz(client: Client, count: number, seed: number): Promise<Breach[]> {
  const document = (await readOpenApi(client)) as unknown as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const check = createCheck();
  const any = fc.constantFrom(...operations).chain(({ path, method, operation }) =>
    anyRequest(path, method, operation).map((request) => ({
      request,
      // A request may have the method of another operation on the same path.
      operation: document.paths[path]?.[request.method.toLowerCase()] ?? operation,
    })),
  );
  const breaches: Breach[] = [];
  for (const { request, operation } of fc.sample(any, { numRuns: count, seed })) {
    const breach = await check(client, request, operation);
    if (breach !== undefined) breaches.push(breach);
  }
  return breaches;
}

/** A 500 that the interface allows: something is missing here, and the answer says how to get it. */
const MISSING = /cannot run here|there is no model/;
const LEAK = /node_modules|\.ts:|\n\s+at |\/(home|usr|root|tmp|app)\//;

function createCheck() {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const validators = new Map<Json, ValidateFunction>();

  return async (client: Client, request: FuzzRequest, operation: Operation): Promise<Breach | undefined> => {
    const { method, path, type, body } = request;
    const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD';
    const answer = await client.send(path, {
      method,
      headers: hasBody && type !== '' ? { 'content-type': type } : {},
      ...(hasBody ? { body: body as string } : {}),
      redirect: 'manual',
      signal: AbortSignal.timeout(30_000),
    });
    const text = answer.bytes.toString();
    const reason = findFault(answer.status, answer.headers, text, method, operation);
    return reason === undefined
      ? undefined
      : { request, status: answer.status, reason, answer: text.slice(0, 300) };
  };

  function findFault(
    status: number,
    headers: Headers,
    text: string,
    method: string,
    { responses }: Operation,
  ): string | undefined {
    if (status === 503) return headers.has('retry-after') ? undefined : '503 without Retry-After';
    if (status >= 500 && !(status === 500 && MISSING.test(text))) return 'an unexpected error of the server';
    if (status >= 400 && method !== 'HEAD') return problemFault(text);
    const schema = responses[status]?.content?.['application/json']?.schema;
    if (
      method === 'HEAD' ||
      schema === undefined ||
      !headers.get('content-type')?.startsWith('application/json')
    )
      return undefined;
    const validate = validators.get(schema) ?? ajv.compile(schema);
    validators.set(schema, validate);
    return validate(JSON.parse(text)) ? undefined : `not as described: ${ajv.errorsText(validate.errors)}`;
  }
}

function problemFault(text: string): string | undefined {
  const problem = JSON.parse(text) as Json;
  if (
    Object.keys(problem).join() !== 'detail' ||
    typeof problem.detail !== 'string' ||
    problem.detail === ''
  ) {
    return 'a problem is not {"detail": string}';
  }
  return LEAK.test(problem.detail) ? 'a problem shows the inside of the server' : undefined;
}
