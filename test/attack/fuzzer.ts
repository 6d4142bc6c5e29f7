import { Ajv, type ValidateFunction } from 'ajv';
import fc from 'fast-check';
import { anyText } from '../contracts/texts.ts';
import type { Client } from '../support/server.ts';

type Json = Readonly<Record<string, unknown>>;

interface MediaTypes {
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Json }[];
  readonly requestBody?: MediaTypes;
  readonly responses: Readonly<Record<string, MediaTypes>>;
}

/** A request that was made up. */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: string | Uint8Array | undefined;
}

/** A request whose answer was not as promised, and why. */
export interface Breach {
  readonly request: FuzzRequest;
  readonly status: number;
  readonly reason: string;
  readonly answer: string;
}

/** Sends requests that are made from the server's own description of itself, and checks every answer. */
export async function fuzz(client: Client, count: number, seed: number): Promise<Breach[]> {
  const document = (await client.get('/openapi.json')).json<{
    paths: Record<string, Record<string, Operation>>;
  }>();
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const check = createCheck();
  const any = fc
    .constantFrom(...operations)
    .chain(({ path, method, operation }) =>
      anyRequest(path, method, operation).map((request) => ({ request, operation })),
    );
  const breaches: Breach[] = [];
  for (const { request, operation } of fc.sample(any, { numRuns: count, seed })) {
    const breach = await check(client, request, operation);
    if (breach !== undefined) breaches.push(breach);
  }
  return breaches;
}

function anyRequest(path: string, method: string, operation: Operation): fc.Arbitrary<FuzzRequest> {
  const schema = operation.requestBody?.content?.['application/json']?.schema;
  return fc.record({
    method: often(
      fc.constant(method),
      fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'),
    ),
    path: anyPath(path, operation),
    type: often(
      fc.constant('application/json'),
      fc.constantFrom('', 'text/plain', 'application/json; charset=latin1', 'multipart/form-data'),
    ),
    body: schema === undefined ? fc.constant(undefined) : anyBody(schema),
  });
}

/** Mostly the first, sometimes the second. */
function often<T>(first: fc.Arbitrary<T>, second: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ arbitrary: first, weight: 12 }, { arbitrary: second, weight: 1 });
}

const ODD = [
  '..',
  '%2e%2e',
  '__proto__',
  '00000000-0000-4000-8000-000000000000',
  'a'.repeat(300),
  '😀',
  '%00',
  'x?y=1',
];

function anyPath(path: string, { parameters = [] }: Operation): fc.Arbitrary<string> {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  return fc
    .tuple(
      fc.constantFrom(...ODD),
      fc.array(
        fc.tuple(
          fc.constantFrom('x', ...query.map(({ name }) => name)),
          fc.oneof(fc.string(), fc.integer().map(String)),
        ),
        { maxLength: 2 },
      ),
    )
    .map(([odd, pairs]) => {
      const filled = path.replace(/\{\w+\}/g, () => encodeURI(odd));
      const search = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
      return search === '' || filled.includes('?') ? filled : `${filled}?${search}`;
    });
}

const BROKEN: readonly (string | Uint8Array)[] = [
  '',
  '{',
  '[]',
  'null',
  '"text"',
  '{"text":"a",}',
  '{"text":"\\ud83d"}',
  '{"text":"a","text":["b"]}',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  '{"__proto__":{"text":"a"}}',
  '{"text":"a","__proto__":{"chunk_size":0}}',
  '{"text":"a","constructor":1}',
  '{"text":1e999}',
  Uint8Array.of(0xff, 0xfe, 0x00),
  Buffer.from('{"text":"\xff"}', 'latin1'),
];

function anyBody(schema: Json): fc.Arbitrary<string | Uint8Array> {
  const written = anyOf(schema, 0).map((value) => JSON.stringify(value) ?? '');
  return often<string | Uint8Array>(written, fc.constantFrom(...BROKEN));
}

const wrong = fc.constantFrom<unknown>(null, true, -1, 0, 1.5, 1e30, '', '512', [], {}, [null], { a: [] });

/** Values of a schema, now and then wrong ones. */
function anyOf(schema: Json, depth: number): fc.Arbitrary<unknown> {
  return often<unknown>(valid(schema, depth), wrong);
}

function valid(schema: Json, depth: number): fc.Arbitrary<unknown> {
  const branches = (schema.anyOf ?? schema.oneOf) as readonly Json[] | undefined;
  if (branches !== undefined) return fc.oneof(...branches.map((branch) => anyOf(branch, depth)));
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as readonly unknown[]));
  if (schema.const !== undefined) return fc.constant(schema.const);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  const { minimum = 0, maximum } = schema as { minimum?: number; maximum?: number };
  switch (type) {
    case 'integer':
      return fc.oneof(
        fc.integer({ min: minimum, max: Math.min(maximum ?? 1000, 1000) }),
        fc.constantFrom(minimum, minimum - 1, 2 ** 53),
      );
    case 'number':
      return fc.oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
      );
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(anyOf((schema.items ?? {}) as Json, depth + 1), { maxLength: 4 });
    case 'object':
      return anyObject(schema, depth);
    default:
      return fc.oneof(
        anyText,
        fc.constantFrom('default', 'python', 'character', 'cl100k_base', '../x', '__proto__', 'token'),
      );
  }
}

function anyObject(schema: Json, depth: number): fc.Arbitrary<unknown> {
  if (depth > 5) return fc.constant({});
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Json>>);
  const members = Object.fromEntries(properties.map(([name, one]) => [name, anyOf(one, depth + 1)]));
  const required = (schema.required ?? []) as readonly string[];
  const known = fc.record(members, { requiredKeys: required.filter((name) => name in members) });
  return often<unknown>(
    known,
    known.map((value) => ({ ...value, unknown_member: 1, constructor: 2 })),
  );
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
