import { existsSync } from 'node:fs';
import t from 'tap';
import { checkProblem } from '../../support/problems.ts';
import { type Client, startServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const PATH = '/v1/pipelines';
const STEPS = [{ type: 'chunk', chunker: 'token', config: { chunk_size: 4 } }];
/** Not even root can make a folder there. */
const UNWRITABLE = '/proc/no-such-folder';

const names = async (client: Client): Promise<string[]> =>
  (await client.get(PATH)).json<{ name: string }[]>().map(({ name }) => name);

t.test('--store memory: a server without a writable folder is ready and keeps pipelines', async (t) => {
  const client = await startServer(t, { store: 'memory', dataDir: UNWRITABLE });
  await until(async () => (await client.get('/ready')).status === 200);
  const { id } = (await client.post(PATH, { name: 'kept', steps: STEPS })).json<{ id: string }>();
  const answer = await client.post(`${PATH}/${id}/execute`, { text: 'eight ch' });
  t.equal(answer.json<unknown[]>().length, 2);

  const asked = Array.from({ length: 40 }, (_, index) => `pipeline ${index}`);
  const create = (name: string) => client.post(PATH, { name, steps: STEPS }, { connection: 'close' });
  t.ok((await Promise.all(asked.map(create))).every(({ status }) => status === 201));
  const lists = await Promise.all(asked.map(() => names(client)));
  for (const list of lists) t.same(list.sort(), ['kept', ...asked].sort(), 'on each connection');
  checkProblem(t, await create('pipeline 7'), 409, /pipeline 7/);
  const headers = { 'content-type': 'application/json' };
  const updates = asked.map((description) =>
    client.send(`${PATH}/${id}`, { method: 'PUT', headers, body: JSON.stringify({ description }) }),
  );
  const etags = (await Promise.all(updates)).map(({ headers }) => headers.get('etag'));
  t.equal(new Set(etags).size, 40, 'no update is lost');
  t.notOk(existsSync(UNWRITABLE));
});

t.test('each server in memory has pipelines of its own', async (t) => {
  const start = () => startServer(t, { store: 'memory' });
  const [one, other] = [await start(), await start()];
  t.equal((await one.post(PATH, { name: 'mine', steps: STEPS })).status, 201);
  t.same(await names(other), []);
  t.same(await names(one), ['mine']);
});
