import { Ajv, type ValidateFunction } from 'ajv';
import fc from 'fast-check';
import type { Test } from 'tap';
import type { Config } from '../../server/config/config.ts';
import { readOpenApi } from '../support/openapi.ts';
import { type Answer, type Client, startServer, temporaryFolder } from '../support/server.ts';
import { anyRequest, type FuzzRequest, type Json, type Operation } from './made-up-requests.ts';

/** A request whose answer was not as promised, and why. */
export interface Breach {
  readonly request: FuzzRequest;
  readonly status: number;
  readonly reason: string;
  readonly answer: string;
}

export const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);

/** Starts a server to which any requests may be sent. */
export async function checkRequests(t: Test, config: Partial<Config>) {
  const bulkRoot = await temporaryFolder(t, { 'kb/a.txt': 'a text', 'b.jsonl': '{"text": "a line"}\n' });
  const client = await startServer(t, { ...config, requestTimeout: 60, bulkRoot });
  return {
    client,
    /** Checks the answers to some, and that the server goes on. */
    async send(count: number, seed: number) {
      t.comment(`${count} requests, FUZZ_SEED=${seed}`);
      const breaches = await fuzz(client, count, seed);
      for (const breach of breaches.slice(0, 10)) t.fail(JSON.stringify(breach).slice(0, 1500));
      t.equal(breaches.length, 0);
      t.equal((await client.get('/health')).status, 200);
      const [chunk] = await client.chunk('token', { text: 'still right 😀' });
      t.equal(chunk?.end_index, 13);
    },
  };
}

/**
 * Sends requests that are made from the server's own description of itself, and checks every answer, until one has the
 * fault that is looked for.
 */
export async function fuzz(
  client: Client,
  count: number,
  seed: number,
  isFound: (breach: Breach) => boolean = () => false,
): Promise<Breach[]> {
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
    if (breach === undefined) continue;
    breaches.push(breach);
    if (isFound(breach)) break;
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
    const reason = findFault(answer, method, operation);
    const shown = answer.bytes.subarray(0, 300).toString();
    return reason === undefined ? undefined : { request, status: answer.status, reason, answer: shown };
  };

  function findFault({ status, headers, bytes }: Answer, method: string, { responses }: Operation) {
    const text = bytes.toString();
    if (status === 503) return headers.has('retry-after') ? undefined : '503 without Retry-After';
    if (status >= 500 && !(status === 500 && MISSING.test(text))) return 'an unexpected error of the server';
    if (status >= 400 && method !== 'HEAD') return problemFault(text);
    const schema = responses[status]?.content?.['application/json']?.schema;
    const isJson = headers.get('content-type')?.startsWith('application/json');
    if (method === 'HEAD' || schema === undefined || !isJson) return undefined;
    const validate = validators.get(schema) ?? ajv.compile(schema);
    validators.set(schema, validate);
    return validate(JSON.parse(text)) ? undefined : `not as described: ${ajv.errorsText(validate.errors)}`;
  }
}

function problemFault(text: string): string | undefined {
  const problem = JSON.parse(text) as Json;
  const { detail, ...others } = problem;
  if (Object.keys(others).length > 0 || typeof detail !== 'string' || detail === '')
    return 'a problem is not {"detail": string}';
  return LEAK.test(detail) ? 'a problem shows the inside of the server' : undefined;
}
