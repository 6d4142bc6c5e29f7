import t from 'tap';
import { noPostgres, startPostgres } from '../../../support/postgres.ts';
import { checkProblem } from '../../../support/problems.ts';
import { until } from '../../../support/until.ts';
import { create, PATH } from '../../engine/pipelines.ts';
import { pipelineCases, put, remove, startTwo } from '../pipeline-cases.ts';

/** Stored pipelines on PostgreSQL. */

t.test('on PostgreSQL', { skip: noPostgres }, async (t) => {
  const postgres = await startPostgres(t);
  const databaseUrl = await postgres.newDatabase();
  const [client, other] = await startTwo(t, { dataDir: '/nowhere', databaseUrl });
  await t.test('over HTTP', (t) => pipelineCases(t, [client, other]));

  await t.test('while the database is away: 503 with Retry-After, and then as before', async (t) => {
    const before = await create(client);
    const all = (await client.get(PATH)).json();
    await postgres.stop();
    for (const answer of [
      await client.get(`${PATH}/${before.id}`),
      await client.get(PATH),
      await client.post(PATH, { name: 'lost', steps: [] }),
      await put(client, `/${before.id}`, { description: 'lost' }),
      await remove(client, before.id),
    ]) {
      checkProblem(t, answer, 503, /The database cannot be used now: the database does not answer/);
      t.match(answer.headers.get('retry-after'), /^\d+$/);
    }
    t.equal((await client.get('/health')).status, 200);
    t.equal((await client.post('/v1/chunk/token', { text: 'abc' })).status, 200, 'what needs no store works');
    await postgres.start();
    await until(async () => (await client.get(`${PATH}/${before.id}`)).status === 200);
    t.same((await client.get(PATH)).json(), all);
  });
});
