import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { FIXTURES } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { type Answer, startServer, temporaryFolder } from '../../support/server.ts';
import { openStore } from '../../support/stores.ts';
import { LINES } from '../../support/streams.ts';
import { create, PATH, type Pipeline, STEPS } from '../engine/pipelines.ts';
import { pipelineCases, put, startTwo } from './pipeline-cases.ts';

/** The routes of stored pipelines; what their bodies mean is tested in `test/server/engine/pipeline-requests.test.ts`. */

const database = { dataDir: `${await temporaryFolder(t)}/data`, databaseUrl: '' };
const [client, other] = await startTwo(t, database);

await t.test('on SQLite', async (t) => {
  await pipelineCases(t, [client, other]);
  await t.test('everything is there when the server starts again', async (t) => {
    const again = await startServer(t, { ...database, pluginsDir: [FIXTURES] });
    t.same((await again.get(PATH)).json(), (await client.get(PATH)).json());
  });
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
  const database = { dataDir: await temporaryFolder(t), databaseUrl: '' };
  const store = await openStore(t, database);
  for (let index = 0; index < 550; index++)
    await store.create({ name: `${index}`, description: null, steps: [] });
  const client = await startServer(t, database);
  const whole = await client.get(PATH);
  t.match(whole.headers.get('content-type'), /^application\/json/);
  const all = whole.json<Pipeline[]>();
  t.equal(all.length, 550, 'more than are read at once');
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
  t.same((await client.get(`${PATH}?cursor=${cursor}`)).json(), all.slice(3), 'a cursor without a limit');
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
