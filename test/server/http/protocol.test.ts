import t, { type Test } from 'tap';
import { type BodyRoute, postRoutes } from '../../support/openapi.ts';
import { checkProblem } from '../../support/problems.ts';
import { type Client, speak, startServer } from '../../support/server.ts';

const MOST_BYTES = 20_000_000;
const inline = await startServer(t, { maxBodyBytes: MOST_BYTES });
const workers = await startServer(t, { workers: 2, inlineBytes: 1000, maxBodyBytes: MOST_BYTES });
const routes = await postRoutes(inline, '/v1/chunk/');

const nameOf = (route: BodyRoute) => route.path.slice('/v1/chunk/'.length);
const isAlive = async (t: Test, client: Client) => t.equal((await client.get('/health')).status, 200);

t.test('a path that does not exist is 404, and the nearest is named', async (t) => {
  const mistyped = await inline.post('/v1/chunk/tokn', { text: 'a' });
  checkProblem(
    t,
    mistyped,
    404,
    /^There is nothing at \/v1\/chunk\/tokn\. Did you mean \/v1\/chunk\/token\?$/,
  );
  checkProblem(t, await inline.get('/halth'), 404, /Did you mean \/health\?$/);
  checkProblem(t, await inline.get('/docs/static/no-such-file'), 404, /^There is nothing at [^*]*$/);
  checkProblem(t, await inline.get(`/${'x'.repeat(3000)}`), 404, /GET \/ lists what there is\.$/);
  checkProblem(t, await inline.get('/v1/chunk/..%2f..%2fpackage'), 404, /^There is nothing at /);
  for (const body of ['{', '', '<xml/>']) {
    checkProblem(t, await inline.post('/v1/nothing', body), 404, /^There is nothing at \/v1\/nothing\./);
  }
});

t.test('a path that is not UTF-8 is 400', async (t) => {
  for (const path of ['/%', '/%zz', '/v1/chunk/%ff', '/%c3%28']) {
    checkProblem(t, await inline.get(path), 400, /^the path .* is not valid: encode it as UTF-8 with %XX\.$/);
  }
});

t.test('another method on a known path is 405 with Allow', async (t) => {
  const posts = routes.map(({ path }) => path);
  const gets = ['/', '/health', '/v1/plugins', '/openapi.json', '/docs', '/redoc'];
  const refuse = async (method: string, path: string, allow: string) => {
    const answer = await inline.send(path, { method });
    if (method === 'HEAD') t.equal(answer.status, 405);
    else checkProblem(t, answer, 405, new RegExp(`^${path} does not take ${method}: use ${allow}\\.$`));
    t.equal(answer.headers.get('allow'), allow, `${method} ${path}`);
  };
  for (const path of posts) {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      await refuse(method, path, 'POST');
  }
  for (const path of gets) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) await refuse(method, path, 'GET, HEAD');
  }
  await refuse('PROPFIND', posts[0] as string, 'POST');
  for (const path of gets) t.equal((await inline.send(path, { method: 'HEAD' })).status, 200);
  t.equal((await inline.post('/docs/static/index.css', '{')).status, 405);
});
t.test('what is hardly HTTP gets an answer or a closed door, and the server goes on', async (t) => {
  const start = 'POST /v1/chunk/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
  const oversized = await speak(
    inline.port,
    `GET / HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(100_000)}\r\n\r\n`,
  );
  t.match(oversized, /^HTTP\/1\.1 431 .*"detail":"The headers are too large/s);
  t.match(
    await speak(inline.port, 'hello\r\n\r\n'),
    /^HTTP\/1\.1 400 .*"detail":"The request is not valid HTTP/s,
  );
  const truncated = await speak(inline.port, `${start}content-length: 50\r\n\r\n{"text": "a`);
  t.match(truncated, /^$|^HTTP\/1\.1 400 /);
  const badLength = await speak(inline.port, `${start}content-length: abc\r\n\r\n{}`);
  t.match(badLength, /^HTTP\/1\.1 400 /);
  const smuggled = await speak(
    inline.port,
    `${start}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  );
  t.match(smuggled, /^HTTP\/1\.1 400 /);
  await isAlive(t, inline);
});

t.test('many different requests at once never see each other', async (t) => {
  const asked = Array.from({ length: 150 }, (_, index) => {
    const mark = `<${index}>`;
    const route = routes[index % routes.length] as BodyRoute;
    const text = route.takes(`${mark} ${'é漢😀 word. '.repeat((index * 37) % 400)}${mark}`);
    return { name: nameOf(route), mark, text, chunk_size: 30 + index };
  });
  const answers = await Promise.all(
    asked.map(({ name, text, chunk_size }) =>
      workers.chunk(name, { text, chunk_size, offset_unit: 'utf16' }),
    ),
  );
  for (const [index, chunks] of answers.entries()) {
    const { mark, text } = asked[index] as (typeof asked)[number];
    t.ok(chunks.map((chunk) => chunk.text).join('') === text, `request ${mark} has its own text`);
    t.ok(chunks.every((chunk) => chunk.text === text.slice(chunk.start_index, chunk.end_index)));
  }
});

t.test('health and info', async (t) => {
  t.same((await inline.get('/health')).json(), { status: 'ok' });
  const info = (await inline.get('/')).json<Record<string, unknown>>();
  t.match(info, { name: 'Chunksmith', version: /^\d+\.\d+\.\d+/, docs: '/docs', unavailable: [] });
  for (const { path } of routes) t.ok((info.endpoints as string[]).includes(`POST ${path}`), path);
  const plugins = (await inline.get('/v1/plugins')).json<
    { kind: string; name: string; available: boolean }[]
  >();
  for (const kind of ['chunker', 'tokenizer'])
    t.ok(plugins.some((plugin) => plugin.kind === kind && plugin.available));
});

t.test('the request id of a client comes back', async (t) => {
  const answer = await inline.post('/v1/chunk/token', { text: 'a' }, { 'x-request-id': 'my-id-1' });
  t.equal(answer.headers.get('x-request-id'), 'my-id-1');
  t.ok((await inline.get('/health')).headers.get('x-request-id'));
});
