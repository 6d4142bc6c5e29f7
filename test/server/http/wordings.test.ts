import Fastify from 'fastify';
import t from 'tap';
import chunksmith from '../../../server/app.ts';
import { FIXTURES } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { clientFor, startServer, temporaryFolder, withStandIns } from '../../support/server.ts';

/** Sentences that a stranger stumbled over. */

const { get, post } = await startServer(t, { pluginsDir: [FIXTURES] });
const detailOf = async (body: object): Promise<string> =>
  (await post('/v1/chunk/token', body)).json<{ detail: string }>().detail;

t.test('what is missing is said once', async (t) => {
  t.equal(await detailOf({}), 'text: missing, expected a string or a list of which each is a string.');
});

t.test('a default that was not sent is not held against a chunk_size that is wrong', async (t) => {
  t.equal(
    await detailOf({ text: 'a', chunk_size: 0 }),
    'chunk_size: expected an integer of at least 1, got 0.',
  );
  t.equal(
    await detailOf({ text: 'a', chunk_size: 4, chunk_overlap: 4 }),
    'chunk_overlap: expected less than chunk_size (4), got 4.',
    'one that is above a good chunk_size is',
  );
});

t.test('a question ends with its question mark', async (t) => {
  t.equal(
    await detailOf({ text: 'a', chunk_sise: 1 }),
    'chunk_sise: unknown parameter, did you mean "chunk_size"?',
  );
  t.equal(
    await detailOf({ text: 'a', chunk_sise: 1, chunk_size: 'x?' }),
    'chunk_sise: unknown parameter, did you mean "chunk_size"?; chunk_size: expected an integer of at least 1, got "x?".',
  );
});

t.test('a chunker that there is not is answered with those that there are', async (t) => {
  for (const name of ['late', 'slumber', 'fast', 'neural']) {
    const answer = await post(`/v1/chunk/${name}`, { text: 'a' });
    checkProblem(
      t,
      answer,
      404,
      /^There is nothing at \/v1\/chunk\/\w+\. In \/v1\/chunk there are [a-z, -]+\.$/,
    );
    t.match(answer.json(), { detail: /\btoken\b/ });
    t.notMatch(answer.json(), { detail: /Did you mean/ });
  }
  checkProblem(t, await post('/v1/refine/translated', {}), 404, /In \/v1\/refine there (is|are) .*shout/);
  for (const [path, near] of [
    ['/v1/chunk/tokens', '/v1/chunk/token'],
    ['/v1/chunks/token', '/v1/chunk/token'],
    ['/chunk/token', '/v1/chunk/token'],
    ['/v1/pipeline', '/v1/pipelines'],
    ['/redy/', '/ready'],
  ] as const) {
    checkProblem(t, await get(path), 404, new RegExp(`Did you mean ${near}\\?$`));
  }
  checkProblem(t, await get('/nothing'), 404, /nothing\. GET \/ lists what there is\.$/);
});

t.test('mounted below a prefix too', async (t) => {
  const app = Fastify();
  t.teardown(() => app.close());
  const config = withStandIns({ workers: 0, dataDir: await temporaryFolder(t) });
  await app.register(chunksmith, { prefix: '/chunks', config });
  const client = clientFor(await app.listen({ host: '127.0.0.1', port: 0 }));
  checkProblem(t, await client.get('/chunks/nothing'), 404, /GET \/chunks\/ lists what there is\.$/);
  t.equal((await client.get('/chunks/')).status, 200);
  checkProblem(t, await client.get('/chunks/v1/chunk/late'), 404, /In \/chunks\/v1\/chunk there (is|are) /);
});
