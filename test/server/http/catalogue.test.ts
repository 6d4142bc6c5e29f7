import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { CATALOGUE, type ErrorCode } from '../../../core/errors.ts';
import { MEANINGS } from '../../../server/http/answer-schemas.ts';
import { type OpenApi, type Operation, readOpenApi } from '../../support/openapi.ts';
import { type Answer, type Client, startServer, temporaryFolder } from '../../support/server.ts';

/** The catalogue of errors, what the README says of statuses, and what the routes are said to answer. */

/** Codes that no request is answered with, and why. */
const UNANSWERED: Partial<Record<ErrorCode, string>> = {
  client_gone: 'the client has closed the connection, so nobody reads an answer',
  malformed_plugin: 'it stops the start',
  duplicate_plugin: 'it stops the start',
  cyclic_plugins: 'it stops the start',
  missing_plugin_package: 'it stops the start',
};

const answered = Object.entries(CATALOGUE).flatMap(([code, [status]]) =>
  code in UNANSWERED ? [] : [status],
);
const statuses = [...new Set<number>(answered)].sort();
const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8');

t.test('every status that a request can be answered with has a meaning, and no other', async (t) => {
  t.same(Object.keys(MEANINGS).map(Number), statuses);
});

t.test("the README's table of statuses says the same", async (t) => {
  const rows = [...readme.matchAll(/^\| (\d{3}) \| (.*) \|$/gm)];
  t.same(
    rows.map(([, status, meaning = '']) => [Number(status), meaning.replaceAll('`', '')]),
    statuses.map((status) => [status, MEANINGS[status]]),
  );
});

/** A request that a route must refuse, for the routes that it fits. */
interface Refusal {
  readonly what: string;
  readonly status: number;
  fits(method: string, path: string, operation: Operation): boolean;
  send(client: Client, method: string, path: string): Promise<Answer>;
}

const NO_PIPELINE = '00000000-0000-4000-8000-000000000000';
/** Paths without a key. */
const OPEN = ['/health', '/ready'];
/** Paths that no rate limit counts. */
const UNCOUNTED = [...OPEN, '/metrics'];
const JSON_TYPE = { 'content-type': 'application/json' };

const hasBody = (_method: string, _path: string, { requestBody }: Operation) => requestBody !== undefined;
/** Any media type is one of a file, and an empty file is a file. */
const takesFile = (_method: string, path: string) => path.endsWith('/file');
const takesBody = (method: string) => ['POST', 'PUT', 'DELETE'].includes(method);
const always = () => true;
const isOfPipelines = (path: string) => path.startsWith('/v1/pipelines');
const withId = (path: string, id: string) => path.replace(/\{\w+\}/, id);
const addressOf = (path: string) => withId(path, NO_PIPELINE);

const REFUSALS: readonly Refusal[] = [
  {
    what: 'an empty body',
    status: 400,
    fits: (method, path, operation) => hasBody(method, path, operation) && !takesFile(method, path),
    send: (client, method, path) => client.send(withId(path, pipelineId), { method, headers: JSON_TYPE }),
  },
  {
    what: 'no file',
    status: 400,
    fits: takesFile,
    send: (client, method, path) => client.send(withId(path, pipelineId), { method }),
  },
  {
    what: 'a file in an unknown compression',
    status: 415,
    fits: takesFile,
    send: (client, method, path) =>
      client.send(addressOf(path), { method, headers: { 'content-encoding': 'lzma' }, body: 'x' }),
  },
  {
    what: 'an unknown parameter',
    status: 400,
    fits: (method, path) => method === 'GET' && ['/v1/pipelines', '/v1/jobs'].includes(path),
    send: (client, _method, path) => client.get(`${path}?no_such=1`),
  },
  {
    what: 'a malformed If-Match',
    status: 400,
    fits: (method, path) => ['PUT', 'DELETE'].includes(method) && isOfPipelines(path),
    send: (client, method, path) =>
      client.send(addressOf(path), {
        method,
        headers: { ...(method === 'PUT' ? JSON_TYPE : {}), 'if-match': 'x' },
        ...(method === 'PUT' ? { body: '{}' } : {}),
      }),
  },
  {
    what: 'no such pipeline, or job',
    status: 404,
    fits: (_method, path) => path.includes('{'),
    send: (client, method, path) =>
      client.send(addressOf(path), {
        method,
        ...(['POST', 'PUT'].includes(method) ? { headers: JSON_TYPE, body: '{"text": "x"}' } : {}),
        ...(method === 'PUT' ? { body: '{"description": "x"}' } : {}),
      }),
  },
  {
    what: 'another method',
    status: 405,
    fits: always,
    send: (client, _method, path) => client.send(addressOf(path), { method: 'PATCH' }),
  },
  {
    what: 'a name that is taken',
    status: 409,
    fits: (method, path) => method !== 'GET' && hasName(method, path),
    send: (client, method, path) =>
      client.send(withId(path, pipelineId), {
        method,
        headers: JSON_TYPE,
        body: JSON.stringify({ name: 'another', ...(method === 'POST' ? { steps: [] } : {}) }),
      }),
  },
  {
    what: 'an old ETag',
    status: 412,
    fits: (method, path) => ['PUT', 'DELETE'].includes(method) && isOfPipelines(path),
    send: (client, method, path) =>
      client.send(withId(path, pipelineId) + nameQuery(method, path, 'one'), {
        method,
        headers: { ...(method === 'PUT' ? JSON_TYPE : {}), 'if-match': '"999"' },
        ...(method === 'PUT' ? { body: '{"steps": []}' } : {}),
      }),
  },
  {
    what: 'a body over the limit',
    status: 413,
    fits: takesBody,
    send: (client, method, path) =>
      client.send(addressOf(path), { method, headers: JSON_TYPE, body: ' '.repeat(1001) }),
  },
  {
    what: 'another content type',
    status: 415,
    fits: (method, path) => takesBody(method) && !takesFile(method, path),
    send: (client, method, path) =>
      client.send(addressOf(path), { method, headers: { 'content-type': 'text/plain' }, body: 'x' }),
  },
];

/** What the route that is addressed by a pipeline's name needs at the end of its path. */
function nameQuery(method: string, path: string, name: string): string {
  return method === 'PUT' && path === '/v1/pipelines' ? `?name=${name}` : '';
}

const hasName = (method: string, path: string) =>
  (method === 'POST' && path === '/v1/pipelines') || (method === 'PUT' && path.includes('{'));

const bulkRoot = await temporaryFolder(t);
const client = await startServer(t, { maxBodyBytes: 1000, bulkRoot });
let pipelineId = '';
for (const name of ['another', 'one']) {
  const steps = [{ type: 'chunk', chunker: 'token' }];
  pipelineId = (await client.post('/v1/pipelines', { name, steps })).json<{ id: string }>().id;
}
const openApi = await readOpenApi(client);

for (const { what, status, fits, send } of REFUSALS) {
  t.test(`${status} for ${what} is answered and documented`, async (t) => {
    const found = operationsOf(openApi).filter(([method, path, operation]) => fits(method, path, operation));
    t.ok(found.length > 0, 'there are such routes');
    for (const [method, path, { responses }] of found) {
      const answer = await send(client, method, path);
      t.equal(answer.status, status, `${method} ${path}: ${answer.bytes.subarray(0, 200)}`);
      t.ok(String(status) in responses, `${method} ${path} documents it`);
    }
  });
}

t.test('401 is answered and documented if keys are set', async (t) => {
  const guarded = await startServer(t, { apiKeys: 'key' });
  await checkRefusals(t, guarded, 401, OPEN);
});

t.test('429 is answered and documented if a rate limit is set', async (t) => {
  const limited = await startServer(t, { rateLimit: 1 });
  await limited.get('/');
  await checkRefusals(t, limited, 429, UNCOUNTED);
});

const JOB = { source: { documents: [{ text: 'x' }] }, steps: [{ type: 'chunk', chunker: 'token' }] };

t.test('503 is answered and documented if the store of pipelines and jobs cannot be used', async (t) => {
  const broken = await startServer(t, { databaseUrl: 'postgresql://nobody@127.0.0.1:1/none', bulkRoot });
  const found = operationsOf(openApi).filter(([, path]) => /pipelines|jobs|ready/.test(path));
  for (const [method, path, { responses, requestBody }] of found) {
    const body = path.endsWith('/pipelines')
      ? { name: 'x', steps: [] }
      : path.endsWith('/jobs')
        ? JOB
        : path.endsWith('/execute')
          ? { text: 'x' }
          : {};
    const init = requestBody === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(body) };
    const answer = await broken.send(addressOf(path) + nameQuery(method, path, 'x'), { method, ...init });
    t.equal(answer.status, 503, `${method} ${path}: ${answer.bytes.subarray(0, 200)}`);
    t.ok('503' in responses, `${method} ${path} documents it`);
  }
});

t.test('a server that takes no jobs says which option lets it', async (t) => {
  const without = await startServer(t);
  for (const [method, path, { responses }] of operationsOf(openApi)) {
    if (!path.startsWith('/v1/jobs')) continue;
    const answer = await without.send(addressOf(path), { method });
    t.equal(answer.status, 500, `${method} ${path}`);
    t.match(answer.json(), { detail: /--bulk-root FOLDER.*--bulk-connections FILE/ });
    t.ok('500' in responses, `${method} ${path} documents it`);
  }
});

t.test('422 for an Idempotency-Key of another request is answered and documented', async (t) => {
  const headers = { 'idempotency-key': 'one' };
  t.equal((await client.post('/v1/jobs', JOB, headers)).status, 202);
  const refused = await client.post('/v1/jobs', { ...JOB, group: 'document' }, headers);
  t.equal(refused.status, 422);
  t.ok('422' in (openApi.paths['/v1/jobs']?.post?.responses ?? {}));
});

t.test('neither key nor rate limit is documented if it is not set', async (t) => {
  const documented = operationsOf(openApi).flatMap(([, , { responses }]) => Object.keys(responses));
  t.notOk(documented.includes('401'));
  t.notOk(documented.includes('429'));
  t.notOk(documented.includes('499'), 'nobody reads it');
});

async function checkRefusals(
  t: Test,
  client: Client,
  status: number,
  exempt: readonly string[],
): Promise<void> {
  for (const [method, path, operation] of operationsOf(await readOpenApi(client))) {
    const answer = await client.send(addressOf(path), { method });
    const isRefused = !exempt.includes(path);
    t.equal(answer.status === status, isRefused, `${method} ${path}: ${answer.status}`);
    t.equal(String(status) in operation.responses, isRefused, `${method} ${path} documents ${status}`);
  }
}

function operationsOf({ paths }: OpenApi): [method: string, path: string, operation: Operation][] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): [string, string, Operation] => [
      method.toUpperCase(),
      path,
      operation,
    ]),
  );
}
