import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { checkProblem } from '../../support/problems.ts';
import { startProcess } from '../../support/process.ts';
import { type Client, startServer, temporaryFolder } from '../../support/server.ts';

const PATH = '/v1/pipelines';
const STEPS = [{ type: 'chunk', chunker: 'token', config: { chunk_size: 4 } }];
/** Not even root can make a folder there. */
const UNWRITABLE = '/proc/no-such-folder';

const names = async (client: Client): Promise<string[]> =>
  (await client.get(PATH)).json<{ name: string }[]>().map(({ name }) => name);

t.test(
  '--store memory: a server without a writable folder starts, is ready and keeps pipelines',
  async (t) => {
    const cwd = await temporaryFolder(t);
    const args = ['--host', '127.0.0.1', '--port', '0', '--store', 'memory', '--data-dir', UNWRITABLE];
    const server = startProcess(t, args, { cwd });
    const client = await server.listening();
    t.equal((await client.get('/ready')).status, 200);
    const { id } = (await client.post(PATH, { name: 'kept', steps: STEPS })).json<{ id: string }>();
    const answer = await client.post(`${PATH}/${id}/execute`, { text: 'eight ch' });
    t.equal(answer.json<unknown[]>().length, 2);
    server.child.kill('SIGTERM');
    t.equal(await server.ended(), 0);
    t.equal(server.stderr(), '');
    t.same(readdirSync(cwd), [], 'nothing is written');
  },
);

t.test('requests on several connections at once see the same pipelines', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data');
  const client = await startServer(t, { store: 'memory', dataDir, workers: 1 });
  const asked = Array.from({ length: 40 }, (_, index) => `pipeline ${index}`);
  const answers = await Promise.all(
    asked.map((name) => client.post(PATH, { name, steps: STEPS }, { connection: 'close' })),
  );
  t.ok(answers.every(({ status }) => status === 201));
  const lists = await Promise.all(Array.from({ length: 10 }, () => names(client)));
  for (const list of lists) t.same(list.sort(), asked.toSorted());
  checkProblem(t, await client.post(PATH, { name: 'pipeline 7', steps: STEPS }), 409, /pipeline 7/);
  const { id } = answers[7]?.json<{ id: string }>() ?? { id: '' };
  const etags = await Promise.all(
    Array.from({ length: 8 }, async (_, turn) => {
      const body = JSON.stringify({ description: `turn ${turn}` });
      const headers = { 'content-type': 'application/json' };
      return (await client.send(`${PATH}/${id}`, { method: 'PUT', headers, body })).headers.get('etag');
    }),
  );
  t.equal(new Set(etags).size, 8, 'no update is lost');
  t.notOk(existsSync(dataDir), 'no folder is made');
});

t.test('each server in memory has pipelines of its own', async (t) => {
  const [one, other] = await Promise.all([
    startServer(t, { store: 'memory' }),
    startServer(t, { store: 'memory' }),
  ]);
  t.equal((await one.post(PATH, { name: 'mine', steps: STEPS })).status, 201);
  t.same(await names(other), []);
  t.same(await names(one), ['mine']);
});
