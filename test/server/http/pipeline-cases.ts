import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import { FIXTURES } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { type Answer, type Client, startServer } from '../../support/server.ts';
import type { Database } from '../../support/stores.ts';
import { create, PATH, type Pipeline, STEPS } from '../engine/pipelines.ts';

/** What the routes of stored pipelines promise on any database. */

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const SHOWN = [
  { type: 'chunk', chunker: 'token', refinery: null, config: { chunk_size: 4 } },
  { type: 'refine', chunker: null, refinery: 'shout', config: {} },
];

type Headers = Readonly<Record<string, string>>;

/** Puts to a path below that of pipelines: an id, or a query with a name. */
export function put(client: Client, where: string, body: unknown, headers: Headers = {}): Promise<Answer> {
  return client.send(PATH + where, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export function remove(client: Client, id: string, headers: Headers = {}): Promise<Answer> {
  return client.send(`${PATH}/${id}`, { method: 'DELETE', headers });
}

/** Two servers that share a database. */
export async function startTwo(t: Test, database: Database): Promise<[Client, Client]> {
  const settings = { ...database, pluginsDir: [FIXTURES] };
  return [await startServer(t, settings), await startServer(t, settings)];
}

export async function pipelineCases(t: Test, [client, other]: readonly [Client, Client]): Promise<void> {
  await t.test('create, get, change, list and delete', async (t) => {
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

  await t.test('If-Match', async (t) => {
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

  await t.test('PUT with a name creates, and then updates the whole', async (t) => {
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

  await t.test('If-Match for a PUT with a name', async (t) => {
    const change = (tag: string, description: string) =>
      put(client, '?name=matched', { description, steps: [] }, { 'if-match': tag });
    checkProblem(t, await change('*', 'none'), 404, /no pipeline "matched"/);
    await put(client, '?name=matched', { steps: [] });
    t.equal((await change('"1"', 'a')).headers.get('etag'), '"2"');
    checkProblem(t, await change('"1"', 'b'), 412, /its ETag is now "2"/);
    checkProblem(t, await change('2', 'b'), 400, /If-Match: expected the ETag/);
    t.equal((await change('*', 'c')).headers.get('etag'), '"3"');
  });

  await t.test('the same name put many times at once: one 201, and otherwise 200', async (t) => {
    const descriptions = Array.from({ length: 20 }, (_, index) => `${index}`);
    const sent = descriptions.map((description, index) =>
      put(index % 2 ? client : other, '?name=wanted', { description, steps: [] }),
    );
    const answers = await Promise.all(sent);
    t.same(answers.map(({ status }) => status).sort(), [...Array(19).fill(200), 201]);
    const tags = answers.map(({ headers }) => headers.get('etag'));
    t.equal(new Set(tags).size, 20, 'each made a version of its own');
    const last = answers[tags.indexOf('"20"')] as Answer;
    t.same((await client.get(`${PATH}?name=wanted`)).json(), [last.json()]);
  });
}
