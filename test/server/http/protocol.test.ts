import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { chunker, FIXTURES, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { speak, startServer } from '../../support/server.ts';

/** Paths, methods, bodies and ids of requests, and what a server says of itself. */

const inline = await startServer(t, { pluginsDir: [FIXTURES] });
const plugins = ['token', 'character'];
const workers = await startServer(t, { plugins, workers: 1, inlineBytes: 0 });
const PATH = '/v1/chunk/token';
const info = (await inline.get('/')).json<{ endpoints: string[] }>();
const chunkers = info.endpoints.flatMap(
  (endpoint) => /^POST \/v1\/chunk\/([^/\s]+)$/.exec(endpoint)?.[1] ?? [],
);

t.test('a path that there is not is answered with what there is, and the nearest', async (t) => {
  const { get, post } = inline;
  for (const [path, near] of [
    ['/v1/chunk/tokens', '/v1/chunk/token'],
    ['/v1/chunk/tokn', '/v1/chunk/token'],
    ['/v1/chunks/token', '/v1/chunk/token'],
    ['/chunk/token', '/v1/chunk/token'],
    ['/v1/pipeline', '/v1/pipelines'],
    ['/redy/', '/ready'],
    ['/halth', '/health'],
  ] as const) {
    const detail = new RegExp(`^There is nothing at ${path}\\. Did you mean ${near}\\?$`);
    checkProblem(t, await post(path, { text: 'a' }), 404, detail);
  }
  for (const name of ['late', 'slumber', 'fast', 'neural']) {
    const detail = /^There is nothing at \/v1\/chunk\/\w+\. In \/v1\/chunk there are [a-z, -]+\.$/;
    checkProblem(t, await post(`/v1/chunk/${name}`, { text: 'a' }), 404, [detail, /\btoken\b/]);
  }
  checkProblem(t, await post('/v1/refine/translated', {}), 404, /In \/v1\/refine there (is|are) .*shout/);
  checkProblem(t, await get('/docs/static/no-such-file'), 404, /^There is nothing at [^*]*$/);
  checkProblem(t, await get('/v1/chunk/..%2f..%2fpackage'), 404, /^There is nothing at /);
  for (const path of ['/nothing', `/${'x'.repeat(3000)}`])
    checkProblem(t, await get(path), 404, /\. GET \/ lists all endpoints\.$/);
  for (const body of ['{', '', '<xml/>'])
    checkProblem(t, await post('/v1/nothing', body), 404, /^There is nothing at \/v1\/nothing\./);
});

t.test('a path that is not UTF-8 is 400', async (t) => {
  for (const path of ['/%', '/%zz', '/v1/chunk/%ff', '/%c3%28']) {
    checkProblem(t, await inline.get(path), 400, /^the path .* is not valid: encode it as UTF-8 with %XX\.$/);
  }
});

t.test('another method on a known path is 405 with Allow', async (t) => {
  const refuse = async (method: string, path: string, allow: string) => {
    const answer = await inline.send(path, { method });
    if (method === 'HEAD') t.equal(answer.status, 405);
    else checkProblem(t, answer, 405, new RegExp(`^${path} does not support ${method}: use ${allow}\\.$`));
    t.equal(answer.headers.get('allow'), allow, `${method} ${path}`);
  };
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])
    await refuse(method, '/v1/chunk/token', 'POST');
  for (const path of ['/', '/health', '/v1/plugins', '/openapi.json', '/docs', '/redoc']) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) await refuse(method, path, 'GET, HEAD');
    if (path !== '/openapi.json') t.equal((await inline.send(path, { method: 'HEAD' })).status, 200);
  }
  t.equal((await inline.post('/docs/static/index.css', '{')).status, 405);
});

const deep = (open: string, close: string) => `${open.repeat(10_000)}1${close.repeat(10_000)}`;

const MALFORMED: [title: string, body: string | Uint8Array, detail: RegExp][] = [
  ['nothing', '', /^The body is empty: send a JSON object/],
  ['white space', ' \n ', /^The body is (empty|not valid JSON)/],
  ['no JSON', 'text=a', /^The body is not valid JSON: /],
  ['JSON that ends early', '{"text": "a', /^The body is not valid JSON: /],
  ['JSON with more behind it', '{"text": "a"} {"text": "b"}', /^The body is not valid JSON: /],
  ['a raw NUL in a string', '{"text": "a\u0000b"}', /^The body is not valid JSON: /],
  ['NaN', '{"text": "a", "chunk_size": NaN}', /^The body is not valid JSON: /],
  ['a number beyond all bounds', '{"text": "a", "chunk_size": 1e400}', /^chunk_size: expected an integer/],
  ['null', 'null', /^body: expected an object, got null/],
  ['a list', '[{"text": "a"}]', /^body: expected an object, got a list/],
  ['a string', '"text"', /^body: expected an object, got "text"/],
  ['invalid UTF-8', Buffer.from('{"text": "\xff\xfe"}', 'latin1'), /not valid UTF-8: encode the JSON as UTF/],
  ['UTF-16', Buffer.from('\ufeff{"text": "a"}', 'utf16le'), /not valid UTF-8/],
  ['10,000 levels', `{"text": ${deep('[', ']')}}`, /^text\[0\]: expected a string, got a list/],
  ['10,000 levels aside', `{"text":"a","x":${deep('{"x":', '}')}}`, /^x: unknown parameter/],
  ['1,000,000 open brackets', '['.repeat(1_000_000), /^The body is not valid JSON: /],
  ['__proto__', '{"text": "a", "__proto__": {"chunk_size": 1}}', /^__proto__: unknown parameter/],
  ['only __proto__', '{"__proto__": {"text": "a"}}', /text: missing/],
  ['constructor', '{"text": "a", "constructor": {"prototype": {"x": 1}}}', /^constructor: unknown parameter/],
  ['toString', '{"text": "a", "toString": 1, "hasOwnProperty": 1}', /toString: .*hasOwnProperty: unknown/],
  ['two texts, the last wrong', '{"text": "a", "text": 5}', /^text: expected a string or a list/],
];

t.test('malformed bodies', async (t) => {
  for (const [title, body, detail] of MALFORMED) {
    t.comment(title);
    for (const { post } of [inline, workers]) checkProblem(t, await post(PATH, body), 400, detail);
  }
  for (const { get } of [inline, workers]) t.equal((await get('/health')).status, 200);
  t.equal(({} as Record<string, unknown>).chunk_size, undefined, 'no prototype was touched');
});

const UNUSUAL: [title: string, body: string, texts: string[]][] = [
  ['a byte order mark', '\ufeff{"text": "a"}', ['a']],
  ['escapes', '{"text": "\\u00e9\\/\\n\\"\\\\\\t\\b\\f\\r\\u0000"}', ['é/\n"\\\t\b\f\r\u0000']],
  ['a lone surrogate', '{"text": "a\\ud800b\\udc00\\ud800"}', ['a\ud800b\udc00\ud800']],
  ['an escaped key last', '{"text": "first", "te\\u0078t": "second"}', ['second']],
  ['duplicate keys', '{"text": "first", "chunk_size": 3, "text": "second", "chunk_size": 10}', ['second']],
  ['a list, then a text', '{"text": ["a", "b"], "text": "c"}', ['c']],
];

t.test('unusual bodies are read as JSON says', async (t) => {
  for (const [title, body, texts] of UNUSUAL) {
    for (const client of [inline, workers]) {
      const answer = await client.post(PATH, body);
      t.equal(answer.status, 200, `${title}: ${answer.bytes}`);
      const found = answer.json<{ text: string }[]>().map((chunk) => chunk.text);
      t.same(found, texts, title);
    }
  }
  const list = await inline.post(PATH, '{"text": "a", "text": [ "b" ,\n"\\u0063" ]}');
  t.match(list.json(), [[{ text: 'b' }], [{ text: 'c' }]]);
});

t.test('another content type is 415', async (t) => {
  const send = (type: string) => inline.post(PATH, '{"text": "a"}', { 'content-type': type });
  const detail = /^Content-Type .* is not supported: send the header Content-Type: application\/json\.$/;
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'bogus'])
    checkProblem(t, await send(type), 415, detail);
  const none = await inline.send(PATH, { method: 'POST', body: new Blob(['{"text": "a"}']) });
  checkProblem(t, none, 415, /^Content-Type is missing/);
  for (const type of ['application/json; charset=utf-8', 'Application/JSON'])
    t.equal((await send(type)).status, 200);
});

t.test('a body or an answer over its limit is refused, and the limit is named', async (t) => {
  const { get, post, port } = await startServer(t, { plugins, maxBodyBytes: 2000, maxAnswerBytes: 10_000 });
  const body = (bytes: number) => JSON.stringify({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
  t.equal((await post(PATH, body(2000))).status, 200);
  checkProblem(t, await post(PATH, body(2001)), 413, /larger than the limit of 2000 bytes/);
  const head = `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`;
  const announced = await speak(port, `${head}content-length: 99999999999\r\n\r\n{`);
  t.match(announced, /^HTTP\/1\.1 413 .*"detail":"The body is larger than the limit of 2000 bytes/s);
  const chunk = `fa0\r\n${'x'.repeat(4000)}\r\n0\r\n\r\n`;
  t.match(await speak(port, `${head}transfer-encoding: chunked\r\n\r\n${chunk}`), /^HTTP\/1\.1 413 /);
  t.equal((await get('/health')).status, 200);

  const repeated = { text: 'x'.repeat(1000), chunk_size: 100, chunk_overlap: 99 };
  const detail = /over the limit of 10000: send less text per request, or lower chunk_overlap\.$/;
  checkProblem(t, await post(PATH, repeated), 400, detail);
});

/** Ways out of a folder, and names that no file has. */
const TAILS = [
  '%2e%2e/%2e%2e/package.json ../../package.json ..%2f..%2fpackage.json ..%5c..%5cpackage.json .%00 %00 %',
  `%c0%ae%c0%ae/ .hidden no-such-file.js ${'/'.repeat(50)} ${'a'.repeat(5000)} ~root/x ;a=b ?x=%`,
].flatMap((tails) => tails.split(' '));

/** Asks for a path as it is written. */
function ask(port: number, method: string, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, agent: false }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode as number, body }), reject);
    });
    asked.once('error', reject).end();
  });
}

t.test('no path below the documentation is a failure of the server', async (t) => {
  for (const root of ['/docs/', '/docs/static/', '/redoc/', '/docs', '/redoc']) {
    for (const tail of TAILS) {
      for (const method of root === '/docs/static/' ? ['GET', 'HEAD'] : ['GET']) {
        const { status, body } = await ask(inline.port, method, root + tail);
        t.ok(status >= 200 && status < 500, `${method} ${root}${tail.slice(0, 40)}: ${status}`);
        t.notMatch(body, /"dependencies"/);
      }
    }
  }
  const { status, body } = await ask(inline.port, 'GET', '/docs/static/%2e%2e/%2e%2e/package.json');
  t.equal(status, 404);
  t.match(body, /"detail":"There is nothing at /);
});

t.test('health and info', async (t) => {
  t.same((await inline.get('/health')).json(), { status: 'ok' });
  t.match(info, { name: 'Chunksmith', version: /^\d+\.\d+\.\d+/, docs: '/docs', unavailable: [] });
  const answer = await inline.get('/v1/plugins');
  const plugins = answer.json<{ kind: string; name: string; available: boolean }[]>();
  for (const { kind, name } of plugins)
    if (kind === 'chunker') t.ok(chunkers.includes(name), `${name} is an endpoint`);
  for (const kind of ['chunker', 'tokenizer'])
    t.ok(plugins.some((plugin) => plugin.kind === kind && plugin.available));
});

t.test('the id of a request comes back where it can be logged', async (t) => {
  const idFor = async (headers: Record<string, string>) =>
    (await inline.post('/v1/chunk/token', { text: 'a' }, headers)).headers.get('x-request-id');
  t.equal(await idFor({ 'x-request-id': 'abc-123' }), 'abc-123');
  for (const given of [{}, { 'x-request-id': 'a"b' }, { 'x-request-id': 'x'.repeat(200) }])
    t.match(await idFor(given), /^[0-9a-f-]{36}$/);
});

t.test('metrics', async (t) => {
  const pluginsDir = [await pluginsFolder(t, chunker('plain', WHOLE_TEXT, { light: true }))];
  const { get, post } = await startServer(t, { workers: 1, plugins: [...plugins, 'plain'], pluginsDir });
  await post('/v1/chunk/token', { text: 'a secret text', chunk_size: 4 });
  await post('/v1/chunk/plain', { text: ['one', 'a longer secret text '.repeat(2000)] });
  await post('/v1/chunk/token', { text: 1 });
  await get('/no/such/secret');
  const { bytes, headers } = await get('/metrics');
  const text = bytes.toString();
  t.match(headers.get('content-type'), /^text\/plain/);
  t.notMatch(text, /secret/);
  for (const line of [
    'chunksmith_request_seconds_count{route="/v1/chunk/token",method="POST",status="200"} 1',
    'chunksmith_request_seconds_count{route="/v1/chunk/token",method="POST",status="400"} 1',
    'chunksmith_stage_seconds_count{stage="parse",by="json"} 2',
    'chunksmith_stage_seconds_count{stage="queue",by="plain"} 1',
    'chunksmith_stage_seconds_count{stage="chunk",by="plain"} 1',
    'chunksmith_stage_seconds_count{stage="serialise",by="json"} 2',
    'chunksmith_chunks_total{plugin="token"} 4',
    'chunksmith_tokens_total{plugin="token"} 13',
    'chunksmith_queue_depth 0',
    'chunksmith_worker_threads 1',
  ]) {
    t.ok(text.includes(`${line}\n`), line);
  }
});
