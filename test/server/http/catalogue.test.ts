import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { CATALOGUE, type ErrorCode } from '../../../core/errors.ts';
import { MEANINGS } from '../../../server/http/docs/answer-schemas.ts';
import { type OpenApi, type Operation, readOpenApi } from '../../support/openapi.ts';
import { FIXTURES } from '../../support/plugins.ts';
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
  const told = rows.map(([, status, meaning = '']) => [Number(status), meaning.replaceAll('`', '')]);
  const expected = statuses.map((status) => [status, MEANINGS[status]]);
  t.same(told, expected);
});

type Fits = (method: string, path: string, operation: Operation) => boolean;
/** What is sent: to which path, and with what besides the method. */
type Asks = (method: string, path: string) => [path: string, init: RequestInit];

const NO_PIPELINE = '00000000-0000-4000-8000-000000000000';
/** Paths without a key. */
const OPEN = ['/health', '/ready'];
/** Paths that no rate limit counts. */
const UNCOUNTED = [...OPEN, '/metrics'];
const LZMA = { headers: { 'content-encoding': 'lzma' }, body: 'x' };
const PLAIN = { headers: { 'content-type': 'text/plain' }, body: 'x' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Any media type is one of a file, and an empty file is a file. */
const takesFile = (_method: string, path: string) => path.endsWith('/file');
const takesBody = (method: string) => ['POST', 'PUT', 'DELETE'].includes(method);
const changesPipeline = (method: string, path: string) =>
  ['PUT', 'DELETE'].includes(method) && path.startsWith('/v1/pipelines');
const withId = (path: string, id: string) => path.replace('{preset}', 'docs').replace(/\{\w+\}/, id);
const addressOf = (path: string) => path.replace(/\{\w+\}/, NO_PIPELINE);

const isList: Fits = (method, path) => method === 'GET' && ['/v1/pipelines', '/v1/jobs'].includes(path);
const takesJson: Fits = (method, path, { requestBody }) =>
  requestBody !== undefined && !takesFile(method, path);
const takesType: Fits = (method, path) => takesBody(method) && !takesFile(method, path);
const hasId: Fits = (_method, path) => path.includes('{');
const setsName: Fits = (method, path) =>
  (method === 'POST' && path === '/v1/pipelines') || (method === 'PUT' && path.includes('{'));

/** Of a path with an id that there is not. */
const withInit =
  (init: RequestInit): Asks =>
  (_method, path) => [addressOf(path), init];
const sendNothing: Asks = (_method, path) => [withId(path, pipelineId), { headers: JSON_TYPE }];
const sendNoFile: Asks = (_method, path) => [withId(path, pipelineId), {}];
const askWrongly: Asks = (_method, path) => [`${path}?no_such=1`, {}];
const sendNoTag: Asks = (method, path) => [addressOf(path), matching(method, 'x', '{}')];
const sendOldTag: Asks = (method, path) => {
  const address = withId(path, pipelineId) + nameQuery(method, path, 'one');
  return [address, matching(method, '"999"', '{"steps": []}')];
};
const askForNone: Asks = (method, path) => {
  const body = method === 'PUT' ? '{"description": "x"}' : '{"text": "x"}';
  return [addressOf(path), ['POST', 'PUT'].includes(method) ? { headers: JSON_TYPE, body } : {}];
};
const sendTakenName: Asks = (method, path) => {
  const body = `{"name": "another"${method === 'POST' ? ', "steps": []' : ''}}`;
  return [withId(path, pipelineId), { headers: JSON_TYPE, body }];
};

const JOB = { source: { documents: [{ text: 'x' }] }, steps: [{ type: 'chunk', chunker: 'token' }] };
const createsJob: Fits = (method, path) => method === 'POST' && path === '/v1/jobs';
const TAKEN = { ...JSON_TYPE, 'idempotency-key': 'taken' };
const sendTakenKey: Asks = (_method, path) => [path, { headers: TAKEN, body: JSON.stringify(JOB) }];

/** A request that a route must refuse, for the routes that it fits. */
const REFUSALS: readonly (readonly [status: number, what: string, fits: Fits, asks: Asks])[] = [
  [400, 'an empty body', takesJson, sendNothing],
  [400, 'no file', takesFile, sendNoFile],
  [415, 'a file in an unknown compression', takesFile, withInit(LZMA)],
  [400, 'an unknown parameter', isList, askWrongly],
  [400, 'a malformed If-Match', changesPipeline, sendNoTag],
  [404, 'no such pipeline, or job', hasId, askForNone],
  [405, 'another method', () => true, withInit({ method: 'PATCH' })],
  [409, 'a name that is taken', setsName, sendTakenName],
  [412, 'an old ETag', changesPipeline, sendOldTag],
  [413, 'a body over the limit', takesBody, withInit({ headers: JSON_TYPE, body: ' '.repeat(1001) })],
  [415, 'another content type', takesType, withInit(PLAIN)],
  [422, 'an Idempotency-Key of another request', createsJob, sendTakenKey],
];

/** A change that has an If-Match, and a body where the method has one. */
function matching(method: string, tag: string, body: string): RequestInit {
  const headers = { 'if-match': tag };
  return method === 'PUT' ? { headers: { ...headers, ...JSON_TYPE }, body } : { headers };
}

/** What the route that is addressed by a pipeline's name needs at the end of its path. */
function nameQuery(method: string, path: string, name: string): string {
  return method === 'PUT' && path === '/v1/pipelines' ? `?name=${name}` : '';
}

const bulkRoot = await temporaryFolder(t);
const client = await startServer(t, { maxBodyBytes: 1000, bulkRoot, pluginsDir: [FIXTURES] });
let pipelineId = '';
for (const name of ['another', 'one']) {
  const steps = [{ type: 'chunk', chunker: 'token' }];
  pipelineId = (await client.post('/v1/pipelines', { name, steps })).json<{ id: string }>().id;
}
await client.post('/v1/jobs', { ...JOB, group: 'document' }, TAKEN);
const openApi = await readOpenApi(client);

/** Asks a server with each route that fits, which answers a status that it documents. */
async function checkAnswered(t: Test, server: Client, status: number, fits: Fits, asks: Asks) {
  const found = operationsOf(openApi).filter((route) => fits(...route));
  t.ok(found.length > 0, 'there are such routes');
  const answers: Answer[] = [];
  for (const [method, path, { responses }] of found) {
    const [address, init] = asks(method, path);
    const answer = await server.send(address, { method, ...init });
    t.equal(answer.status, status, `${method} ${path}: ${answer.bytes.subarray(0, 200)}`);
    t.ok(String(status) in responses, `${method} ${path} documents it`);
    answers.push(answer);
  }
  return answers;
}

for (const [status, what, fits, asks] of REFUSALS) {
  t.test(`${status} for ${what} is answered and documented`, async (t) => {
    await checkAnswered(t, client, status, fits, asks);
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

const BODIES: Record<string, object> = {
  '/pipelines': { name: 'x', steps: [] },
  '/jobs': JOB,
  '/execute': { text: 'x' },
};

t.test('503 is answered and documented if the store of pipelines and jobs cannot be used', async (t) => {
  const broken = await startServer(t, { databaseUrl: 'postgresql://nobody@127.0.0.1:1/none', bulkRoot });
  const usesStore: Fits = (_method, path) => /pipelines|jobs|ready/.test(path);
  await checkAnswered(t, broken, 503, usesStore, (method, path) => {
    const body = BODIES[path.slice(path.lastIndexOf('/'))] ?? {};
    const sent = { headers: JSON_TYPE, body: JSON.stringify(body) };
    return [addressOf(path) + nameQuery(method, path, 'x'), ['POST', 'PUT'].includes(method) ? sent : {}];
  });
});

t.test('a server that takes no jobs says which option lets it, and has no metrics of them', async (t) => {
  const without = await startServer(t);
  const isOfJobs: Fits = (_method, path) => path.startsWith('/v1/jobs');
  const answers = await checkAnswered(t, without, 500, isOfJobs, withInit({}));
  const remedy = /--bulk-root FOLDER.*--bulk-connections FILE/;
  for (const answer of answers) t.match(answer.json(), { detail: remedy });
  t.notMatch((await without.get('/metrics')).bytes.toString(), 'chunksmith_bulk');
});

t.test('neither key nor rate limit is documented if it is not set', async (t) => {
  const documented = operationsOf(openApi).flatMap(([, , { responses }]) => Object.keys(responses));
  t.notOk(documented.includes('401'));
  t.notOk(documented.includes('429'));
  t.notOk(documented.includes('499'), 'nobody reads it');
});

async function checkRefusals(t: Test, client: Client, status: number, exempt: readonly string[]) {
  for (const [method, path, operation] of operationsOf(await readOpenApi(client))) {
    const answer = await client.send(addressOf(path), { method });
    const isRefused = !exempt.includes(path);
    t.equal(answer.status === status, isRefused, `${method} ${path}: ${answer.status}`);
    t.equal(String(status) in operation.responses, isRefused, `${method} ${path} documents ${status}`);
  }
}

function operationsOf({ paths }: OpenApi): (readonly [method: string, path: string, operation: Operation])[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => [method.toUpperCase(), path, operation] as const),
  );
}
