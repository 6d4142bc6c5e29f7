import Fastify, { type FastifyInstance } from 'fastify';
import t, { type Test } from 'tap';
import chunksmith from '../../../server/app.ts';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { type Client, clientFor, withStandIns } from '../../support/server.ts';

/** Mounts the service in an app, also several times, and has the app listen. */
async function mount(t: Test, host: FastifyInstance, ...mounted: object[]): Promise<Client> {
  t.teardown(() => host.close());
  host.setNotFoundHandler((_request, reply) => reply.code(404).send({ host: 'nothing here' }));
  for (const options of mounted) await host.register(chunksmith, options);
  return clientFor(await host.listen({ host: '127.0.0.1', port: 0 }));
}

/** An app of somebody else, with routes, answers and names of its own. */
function createHost(): FastifyInstance {
  const host = Fastify({ bodyLimit: 500 });
  for (const name of ['services', 'knownPaths', 'container']) host.decorate(name, 'of the host');
  for (const name of ['pipeline', 'services']) host.decorateRequest(name, null);
  host.get('/', async () => ({ host: true }));
  host.get('/health', async () => ({ host: 'fine' }));
  host.post('/echo', async (request) => request.body);
  host.get('/broken', async () => {
    throw new Error('of the host');
  });
  host.setErrorHandler((error: { statusCode?: number }, _request, reply) =>
    reply.code(error.statusCode ?? 500).send({ host: 'error' }),
  );
  return host;
}

t.test('mounted in another app below a prefix', async (t) => {
  const bad = plugin({ kind: 'chunker', name: 'bad' }, 'throw new Error("secret");');
  const folder = await pluginsFolder(t, bad);
  const plugins = ['token', 'character', 'bad'];
  const config = withStandIns({ workers: 0, plugins, pluginsDir: [folder], maxBodyBytes: 2000 });
  const client = await mount(t, createHost(), { prefix: '/chunks', config });

  await t.test('everything is there', async (t) => {
    t.same((await client.get('/chunks/health')).json(), { status: 'ok' });
    const answer = await client.post('/chunks/v1/chunk/token', { text: 'abc' });
    t.same(answer.json(), [{ text: 'abc', start_index: 0, end_index: 3, token_count: 3 }]);
    type Info = Record<'docs' | 'openapi', string> & { endpoints: string[] };
    const { endpoints, docs, openapi } = (await client.get('/chunks/')).json<Info>();
    t.ok(endpoints.includes('POST /chunks/v1/chunk/token'), endpoints.join(', '));
    const { paths } = (await client.get('/chunks/openapi.json')).json<{ paths: object }>();
    t.ok('/chunks/v1/chunk/token' in paths, Object.keys(paths).join(', '));
    for (const path of [docs, openapi, '/chunks/docs', '/chunks/redoc', '/chunks/redoc/redoc.js'])
      t.equal((await client.get(path)).status, 200, path);
  });

  await t.test('its problems have its own form, and its own limit', async (t) => {
    const unknown = await client.post('/chunks/v1/chunk/tokn', { text: 'a' });
    checkProblem(t, unknown, 404, /Did you mean \/chunks\/v1\/chunk\/token\?/);
    checkProblem(t, await client.get('/chunks/health/'), 404, /Did you mean \/chunks\/health\?/);
    checkProblem(t, await client.get('/chunks/nothing'), 404, /GET \/chunks\/ lists all endpoints\.$/);
    const other = await client.get('/chunks/v1/chunk/late');
    checkProblem(t, other, 404, /In \/chunks\/v1\/chunk there are bad, token\.$/);
    const wrong = await client.send('/chunks/v1/chunk/token', { method: 'PUT' });
    checkProblem(t, wrong, 405, /use POST/);
    checkProblem(t, await client.post('/chunks/v1/chunk/token', '{'), 400, /not valid JSON/);
    checkProblem(t, await client.post('/chunks/v1/chunk/bad', { text: 'a' }), 500, /"bad" failed/);
    t.equal((await client.post('/chunks/v1/chunk/token', { text: 'x'.repeat(1500) })).status, 200);
    const large = { text: 'x'.repeat(3000) };
    checkProblem(t, await client.post('/chunks/v1/chunk/token', large), 413, /limit of 2000 bytes/);
  });

  await t.test('nothing of the host app is touched', async (t) => {
    t.same((await client.get('/')).json(), { host: true });
    const health = await client.get('/health');
    t.same(health.json(), { host: 'fine' });
    for (const header of ['content-security-policy', 'x-frame-options', 'x-request-id'])
      t.equal(health.headers.get(header), null, header);
    t.same((await client.post('/echo', { a: [1] })).json(), { a: [1] });
    t.match(await client.post('/echo', '{'), { status: 400 });
    t.same((await client.post('/echo', '{')).json(), { host: 'error' });
    t.equal((await client.post('/echo', { a: 'x'.repeat(600) })).status, 413);
    t.same((await client.get('/broken')).json(), { host: 'error' });
    for (const path of ['/nothing', '/v1/chunk/token', '/docs', '/openapi.json']) {
      const answer = await client.get(path);
      t.equal(answer.status, 404);
      t.same(answer.json(), { host: 'nothing here' }, path);
    }
    t.equal((await client.send('/echo', { method: 'PUT' })).status, 404, 'the host keeps its own answer');
  });
});

t.test('mounted twice in one app, differently, and without a prefix', async (t) => {
  const folder = await pluginsFolder(t, chunker('whole', WHOLE_TEXT));
  const configOf = (plugin: string) =>
    withStandIns({ workers: 0, plugins: [plugin, 'character'], pluginsDir: [folder] });
  const token = { config: configOf('token') };
  const whole = { prefix: '/b', config: configOf('whole') };
  const client = await mount(t, Fastify(), { prefix: '/a', ...token }, whole, token);
  for (const path of ['/a/v1/chunk/token', '/b/v1/chunk/whole', '/v1/chunk/token'])
    t.equal((await client.post(path, { text: 'abc' })).status, 200, path);
  for (const path of ['/b/v1/chunk/token', '/v1/chunk/whole'])
    t.equal((await client.post(path, { text: 'abc' })).status, 404, path);
  t.same((await client.get('/nothing')).json(), { host: 'nothing here' }, 'unknown paths stay with the host');
  checkProblem(t, await client.get('/v1/chunk/token'), 405, /use POST/);
});
