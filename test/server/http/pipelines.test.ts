import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { sqlitePlace } from '../../support/job-stores.ts';
import { FIXTURES } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { type Answer, type Client, startServer } from '../../support/server.ts';
import { openStore } from '../../support/stores.ts';
import { LINES } from '../../support/streams.ts';
import { create, PATH, type Pipeline, STEPS } from '../engine/pipelines.ts';

/** The routes of stored pipelines; what their bodies mean is tested in `test/server/engine/pipeline-requests.test.ts`. */

const client = await startServer(t, { databaseUrl: '', pluginsDir: [FIXTURES] });

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const SHOWN = [
  { type: 'chunk', chunker: 'token', refinery: null, config: { chunk_size: 4 } },
  { type: 'refine', chunker: null, refinery: 'shout', config: {} },
];

type Headers = Readonly<Record<string, string>>;

/** Puts to a path below that of pipelines: an id, or a query with a name. */
function put(client: Client, where: string, body: unknown, headers: Headers = {}): Promise<Answer> {
  return client.send(PATH + where, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

function remove(client: Client, id: string, headers: Headers = {}): Promise<Answer> {
  return client.send(`${PATH}/${id}`, { method: 'DELETE', headers });
}

t.test('create, get, change, list and delete', async (t) => {
  const answer = await client.post(PATH, { name: 'articles', steps: STEPS });
  t.equal(answer.status, 201);
  t.equal(answer.headers.get('etag'), '"1"');
  const created = answer.json<Pipeline>();
  t.match(created, { id: UUID, created_at: TIME, updated_at: created.created_at });
  const { id, created_at } = created;
  const members = { id, name: 'articles', description: null, config: { steps: SHOWN } };
  t.same(created, { ...members, created_at, updated_at: created_at });
  const location = new URL(answer.headers.get('location') as string, client.url + PATH).pathname;
  const read = await client.get(location);
  t.equal(read.status, 200);
  t.equal(read.headers.get('etag'), '"1"');
  t.same(read.json(), created);

  const byName = await client.post(`${PATH}/articles/execute`, { text: 'a' });
  checkProblem(t, byName, 404, new RegExp(`"articles": the one with this name has the id ${id}`));

  const changed = await put(client, `/${id}`, { description: 'of all kinds' });
  t.equal(changed.status, 200);
  t.equal(changed.headers.get('etag'), '"2"');
  const { updated_at } = changed.json<Pipeline>();
  t.ok(updated_at > created_at);
  t.same(changed.json(), { ...created, description: 'of all kinds', updated_at });
  for (const body of [{}, { description: 'of all kinds', steps: STEPS }]) {
    const same = await put(client, `/${id}`, body);
    t.equal(same.headers.get('etag'), '"2"');
    t.same(same.json(), changed.json(), 'what changes nothing moves nothing');
  }
  const other = await put(client, `/${id}`, { description: null, steps: [], name: 'other' });
  t.match(other.json(), { name: 'other', description: null, config: { steps: [] } });
  t.same((await client.get(PATH)).json(), [other.json()]);

  const gone = await remove(client, id);
  t.equal(gone.status, 204);
  t.equal(gone.bytes.length, 0);
  const missing = new RegExp(`no pipeline "${id}".*GET /v1/pipelines`);
  for (const again of [remove(client, id), client.get(`${PATH}/${id}`), put(client, `/${id}`, {})])
    checkProblem(t, await again, 404, missing);
  t.same((await client.get(PATH)).json(), []);
});

t.test('If-Match', async (t) => {
  const { id } = await create(client);
  const change = (tag: string) => put(client, `/${id}`, { description: randomUUID() }, { 'if-match': tag });
  t.equal((await change('"1"')).status, 200);
  checkProblem(t, await change('"1"'), 412, [new RegExp(id), /its ETag is now "2"/]);
  checkProblem(t, await remove(client, id, { 'if-match': '"1", "3"' }), 412, /now "2"/);
  for (const tag of ['*', 'W/"3"', '"9", "4"', '"a,b" , W/"5",']) {
    t.equal((await change(tag)).status, 200, tag);
  }
  for (const tag of ['"abc"', '""', '"06"', '"6.0"', '"a,b"'])
    checkProblem(t, await change(tag), 412, /now "6"/);
  for (const tag of ['6', 'etag', '"6', '"6" "7"', '', '*, "6"', 'w/"6"', "'6'"]) {
    checkProblem(t, await change(tag), 400, /If-Match: expected the ETag/);
  }
  checkProblem(t, await put(client, `/${randomUUID()}`, {}, { 'if-match': '"1"' }), 404, /no pipeline/);
  t.equal((await remove(client, id, { 'if-match': '"6"' })).status, 204);
});

t.test('PUT with a name creates, and then updates the whole', async (t) => {
  const created = await put(client, '?name=books', { description: 'all kinds', steps: STEPS });
  t.equal(created.status, 201, created.bytes.toString());
  t.equal(created.headers.get('etag'), '"1"');
  const { id } = created.json<Pipeline>();
  const location = new URL(created.headers.get('location') as string, client.url + PATH).pathname;
  t.equal(location, `${PATH}/${id}`);
  t.same((await client.get(location)).json(), created.json());

  const updated = await put(client, '?name=books', { name: 'books', steps: [] });
  const again = await put(client, '?name=books', { steps: [] });
  for (const { status, headers, json } of [updated, again]) {
    t.match([status, headers.get('etag'), headers.get('location')], [200, '"2"', null]);
    t.match(json(), { id, name: 'books', description: null, config: { steps: [] } });
  }
  const named = await client.get(`${PATH}?name=books`);
  t.same(named.json(), [updated.json()], 'what changes nothing moves nothing');
  t.equal((await put(client, '/?name=with+slash%2F', { steps: [] })).json<Pipeline>().name, 'with slash/');
  const byName = await client.post(`${PATH}/books/execute`, { text: 'a' });
  checkProblem(t, byName, 404, /no pipeline "books"/);
});

t.test('If-Match for a PUT with a name', async (t) => {
  const change = (tag: string, description: string) =>
    put(client, '?name=matched', { description, steps: [] }, { 'if-match': tag });
  for (const tag of ['*', '"1"']) checkProblem(t, await change(tag, 'none'), 404, /no pipeline "matched"/);
  await put(client, '?name=matched', { steps: [] });
  t.equal((await change('"1"', 'a')).headers.get('etag'), '"2"');
  checkProblem(t, await change('"1"', 'b'), 412, /its ETag is now "2"/);
  checkProblem(t, await change('2', 'b'), 400, /If-Match: expected the ETag/);
  t.equal((await change('*', 'c')).headers.get('etag'), '"3"');
});

t.test('bad requests are refused, and change nothing', async (t) => {
  const { id } = await create(client);
  const bad = { name: '', steps: [{ type: 'chunk', chunker: 'tokn' }], descripton: 'x' };
  const problems = [/name: expected/, /steps\[0\]\.chunker: .*did you mean "token"/, /descripton: unknown/];
  for (const answer of [client.post(PATH, bad), put(client, `/${id}`, bad)])
    checkProblem(t, await answer, 400, problems);
  checkProblem(t, await put(client, '?nam=a', bad), 400, [/query\.nam: unknown/, ...problems]);
  const large = { name: 'x', steps: [], description: 'x'.repeat(1_048_576) };
  checkProblem(t, await client.post(PATH, large), 413, /limit of 1048576 bytes/);
  t.equal((await client.get(`${PATH}/${id}`)).headers.get('etag'), '"1"', 'nothing was changed');
  for (const id of ['1', 'a%00b', '%F0%9F%8E%89', "'%20or%201=1", 'x'.repeat(100)])
    checkProblem(t, await client.get(`${PATH}/${id}`), 404, /There is no pipeline/);
  checkProblem(t, await client.get(`${PATH}/${'x'.repeat(500)}`), 404, /nothing at/);
});

t.test('bodies may be compressed, and are not streams', async (t) => {
  const pipeline = JSON.stringify({ name: 'compressed', steps: STEPS });
  const compressed = await client.post(PATH, gzipSync(pipeline), { 'content-encoding': 'gzip' });
  t.equal(compressed.status, 201);
  t.match(compressed.json(), { name: 'compressed', config: { steps: STEPS } });
  const large = gzipSync(Buffer.alloc(2_000_000, ' '));
  checkProblem(t, await client.post(PATH, large, { 'content-encoding': 'gzip' }), 413, /./);
  const stream = await client.post(PATH, pipeline, { 'content-type': LINES });
  checkProblem(t, stream, 415, /is not supported/);
});

t.test('lists, whole and in pages', async (t) => {
  const database = await sqlitePlace(t);
  const store = await openStore(t, database);
  for (let index = 0; index < 1050; index++)
    await store.create({ name: `${index}`, description: null, steps: [] });
  const client = await startServer(t, database);
  const first = await client.get(PATH);
  t.match(first.headers.get('content-type'), /^application\/json/);
  t.equal(first.json<Pipeline[]>().length, 1000, 'a list without a limit has one');
  const rest = await client.get(`${PATH}?cursor=${first.headers.get('x-next-cursor')}`);
  t.equal(rest.headers.get('x-next-cursor'), null);
  const all = [...first.json<Pipeline[]>(), ...rest.json<Pipeline[]>()];
  t.equal(all.length, 1050);
  const times = all.map((one) => one.created_at);
  t.same(times, [...times].sort().reverse());
  for (const limit of [70, 1000]) {
    const paged: Pipeline[] = [];
    let next: string | undefined = `${PATH}?limit=${limit}`;
    while (next !== undefined) {
      const answer: Answer = await client.get(next);
      paged.push(...answer.json<Pipeline[]>());
      const [, link] = /^<(.+)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? [];
      t.equal(link === undefined, answer.headers.get('x-next-cursor') === null);
      next = link === undefined ? undefined : PATH + new URL(link, client.url + next).search;
    }
    t.same(paged, all, `pages of ${limit}`);
  }
  const cursor = (await client.get(`${PATH}?limit=3`)).headers.get('x-next-cursor');
  t.same(
    (await client.get(`${PATH}?cursor=${cursor}`)).json(),
    all.slice(3, 1003),
    'a cursor without a limit',
  );
  t.equal((await client.send(PATH, { method: 'HEAD' })).status, 200);
});

t.test('bad queries of lists', async (t) => {
  const cursor = (text: string) => `cursor=${Buffer.from(text).toString('base64url')}`;
  for (const [query, pattern] of [
    ['limit=0', /limit: expected an integer from 1 to 1000, got 0/],
    ['limit=1001', /limit: /],
    ['limit=-1', /limit: /],
    ['limit=1.5', /limit: expected an integer from 1 to 1000, got "1.5"/],
    ['limit=', /limit: /],
    ['limit=1&limit=2', /limit: expected an integer from 1 to 1000, got a list/],
    ['limt=5', /limt: unknown parameter, did you mean "limit"/],
    ['name=', /name: expected a string of 1 to 255 characters, got ""/],
    ['name=a%00b', /name: expected text without NUL/],
    ['name=a&name=b', /name: expected a string of 1 to 255 characters, got a list/],
    ['cursor=', /cursor: expected the x-next-cursor/],
    ['cursor=abc', /cursor: /],
    ['cursor=a&cursor=b', /cursor: /],
    [cursor(`2026-02-30T00:00:00.000000 ${randomUUID()}`), /cursor: /],
    [cursor(`2026-02-20T00:00:00.000000 ${'x'.repeat(36)}`), /cursor: /],
  ] as const) {
    checkProblem(t, await client.get(`${PATH}?${query}`), 400, pattern);
  }
});
