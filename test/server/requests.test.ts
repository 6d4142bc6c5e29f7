import t, { type Test } from 'tap';
import { OFFSET_UNITS } from '../../core/json-chunks.ts';
import { longDocument, sliceIn, TEXTS } from '../support/documents.ts';
import { type BodyRoute, hasType, outside, postRoutes } from '../support/openapi.ts';
import { checkProblem } from '../support/problems.ts';
import { type Client, speak, startServer } from '../support/server.ts';

const MOST_BYTES = 20_000_000;
const inline = await startServer(t, { maxBodyBytes: MOST_BYTES });
const workers = await startServer(t, { workers: 2, inlineBytes: 1000, maxBodyBytes: MOST_BYTES });
const routes = await postRoutes(inline, '/v1/chunk/');

const nameOf = (route: BodyRoute) => route.path.slice('/v1/chunk/'.length);
const has = (route: BodyRoute, parameter: string) => route.schema.properties?.[parameter] !== undefined;
const small = (route: BodyRoute) => (has(route, 'chunk_size') ? { chunk_size: 20 } : {});
const isAlive = async (t: Test, client: Client) => t.equal((await client.get('/health')).status, 200);

t.test('there are chunkers to test', async (t) => {
  for (const name of ['token', 'sentence', 'recursive']) t.ok(routes.some((route) => nameOf(route) === name));
});

for (const route of routes) {
  const name = nameOf(route);

  t.test(`${name}: offsets cut the text in each unit, and nothing is lost`, async (t) => {
    for (const [title, text] of Object.entries(TEXTS)) {
      for (const offset_unit of OFFSET_UNITS) {
        const chunks = await inline.chunk(name, { text, offset_unit, ...small(route) });
        t.equal(chunks.map((chunk) => chunk.text).join(''), text, `${title}: joined`);
        if (offset_unit === 'byte' && !text.isWellFormed()) continue;
        const cut = chunks.map((chunk) => sliceIn(offset_unit, text, chunk.start_index, chunk.end_index));
        t.same(
          cut,
          chunks.map((chunk) => chunk.text),
          `${title}: ${offset_unit}`,
        );
      }
    }
  });

  t.test(`${name}: code points are the default unit`, async (t) => {
    const request = { text: TEXTS.emoji as string, ...small(route) };
    const plain = await inline.post(route.path, request);
    const points = await inline.post(route.path, { ...request, offset_unit: 'code_point' });
    const units = await inline.post(route.path, { ...request, offset_unit: 'utf16' });
    t.ok(plain.bytes.equals(points.bytes));
    t.notOk(plain.bytes.equals(units.bytes));
  });

  t.test(`${name}: a batch is a list of lists, each as the text alone gives it`, async (t) => {
    const text = [...Object.values(TEXTS), '', ' \n\t', 'short'];
    const batch = await inline.chunkAll(name, { text, ...small(route) });
    t.equal(batch.length, text.length);
    for (const [index, one] of text.entries()) {
      t.same(batch[index], await inline.chunk(name, { text: one, ...small(route) }));
    }
    t.same(await inline.chunkAll(name, { text: [] }), []);
    t.same(await inline.chunkAll(name, { text: [''] }), [[]]);
  });

  t.test(`${name}: empty text and white space give no chunks`, async (t) => {
    for (const text of ['', ' ', '\r\n\t ', '\u3000\u2003\u00a0'])
      t.same(await inline.chunk(name, { text }), []);
    t.equal((await inline.chunk(name, { text: ' a ' }))[0]?.text, ' a ');
  });

  t.test(`${name}: a chunk has exactly the four fields, of the right types`, async (t) => {
    const chunks = await inline.chunk(name, { text: TEXTS.plain as string, ...small(route) });
    t.ok(chunks.length > 1);
    for (const chunk of chunks) {
      t.same(Object.keys(chunk), ['text', 'start_index', 'end_index', 'token_count']);
      t.ok(chunk.token_count > 0);
    }
  });

  t.test(`${name}: every wrong type is refused by the name of the parameter`, async (t) => {
    const values = [null, true, 5.5, 5, '5', [], {}, [5], [null], [['nested']], 1e308];
    for (const [parameter, schema] of route.parameters) {
      for (const value of values.filter((candidate) => !hasType(schema, candidate))) {
        const answer = await inline.post(route.path, { text: 'a', [parameter]: value });
        checkProblem(t, answer, 400, new RegExp(`^${parameter}[^;]*: expected [^;]+, got [^;]+\\.$`));
      }
    }
    await isAlive(t, inline);
  });

  t.test(`${name}: every value out of range is refused by the name of the parameter`, async (t) => {
    let count = 0;
    for (const [parameter, schema] of route.parameters) {
      for (const value of outside(schema)) {
        const answer = await inline.post(route.path, { text: 'a', [parameter]: value });
        checkProblem(t, answer, 400, new RegExp(`^${parameter}: expected`));
        count++;
      }
    }
    t.ok(count >= 3, `${count} bounds`);
  });

  t.test(`${name}: the smallest and the largest allowed values work`, async (t) => {
    for (const [parameter, { minimum, maximum, enum: choices, minLength }] of route.parameters) {
      const values = [minimum, maximum, ...(choices ?? [])].filter((value) => value !== undefined);
      if (parameter === 'text' || minLength !== undefined) continue;
      for (const value of values) {
        const answer = await inline.post(route.path, { text: TEXTS.plain, [parameter]: value });
        t.equal(answer.status, 200, `${parameter} ${value}: ${answer.bytes.subarray(0, 200)}`);
      }
    }
  });

  t.test(`${name}: an unknown parameter is refused, and the nearest is named`, async (t) => {
    for (const [parameter] of route.parameters) {
      if (parameter.length < 5) continue;
      const mistyped = parameter.slice(0, -2) + parameter.slice(-1);
      const answer = await inline.post(route.path, { text: 'a', [mistyped]: 1 });
      checkProblem(t, answer, 400, new RegExp(`${mistyped}: unknown parameter, did you mean "${parameter}"`));
    }
    const far = await inline.post(route.path, { text: 'a', qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq: 1 });
    checkProblem(t, far, 400, /unknown parameter, known are text, /);
  });

  t.test(`${name}: 5 MB come back whole, the same from a worker as inline`, async (t) => {
    const text = longDocument(5_000_000);
    const request = JSON.stringify({ text, ...(has(route, 'chunk_size') ? { chunk_size: 500 } : {}) });
    const [here, there] = await Promise.all(
      [inline, workers].map((client) => client.post(route.path, request)),
    );
    t.equal(here?.status, 200);
    t.ok(there !== undefined && here?.bytes.equals(there.bytes));
    const chunks = here?.json<{ text: string }[]>() ?? [];
    t.ok(chunks.map((chunk) => chunk.text).join('') === text);
  });

  t.test(`${name}: the same request has the same answer, here and in a worker`, async (t) => {
    const large = { padding: 'x'.repeat(2000) };
    const requests: object[] = [
      ...Object.values(TEXTS).map((text) => ({ text: text.repeat(30), ...small(route) })),
      { text: [TEXTS.cjk, TEXTS.escapes, TEXTS.emoji?.repeat(50)], ...small(route), offset_unit: 'byte' },
      { text: 'a'.repeat(2000), tokenizer: 'no/such-tokenizer' },
      { text: 5, ...large },
      large,
    ];
    for (const request of requests) {
      const body = JSON.stringify(request);
      t.ok(body.length > 1000, 'large enough for a worker');
      const first = await inline.post(route.path, body);
      for (const client of [inline, workers]) {
        const again = await client.post(route.path, body);
        t.equal(again.status, first.status);
        t.ok(again.bytes.equals(first.bytes), 'the same bytes');
      }
    }
  });
}

t.test('every tokenizer of the interface counts', async (t) => {
  const text = TEXTS.plain as string;
  const [character] = await inline.chunk('token', { text });
  t.equal(character?.token_count, text.length);
  for (const tokenizer of ['gpt2', 'cl100k_base']) {
    const [chunk] = await inline.chunk('token', { text, tokenizer });
    t.ok((chunk?.token_count as number) < text.length / 2, tokenizer);
  }
});

t.test('an unknown tokenizer is 400 and the known ones are listed', async (t) => {
  for (const tokenizer of ['no-such', '../../package', '/etc/passwd', 'http://127.0.0.1/x', 'a/b/c', '..']) {
    const answer = await inline.post('/v1/chunk/token', { text: 'a', tokenizer });
    checkProblem(t, answer, 400, [/^tokenizer: /, /known are .*character.*gpt2.*cl100k_base/]);
  }
});

t.test('an unknown recipe is 400 and the known ones are listed', async (t) => {
  for (const recipe of ['no-such', '../manifest', 'default.json', '__proto__', 'constructor']) {
    const answer = await inline.post('/v1/chunk/recursive', { text: 'a', recipe });
    checkProblem(t, answer, 400, [/^recipe: /, /known are .*default.*js.*markdown.*python/]);
  }
});

t.test('an unknown language falls back to the default delimiters', async (t) => {
  for (const lang of ['tlh', '__proto__', 'constructor', 'default', 'x y']) {
    const request = { text: TEXTS.plain as string, chunk_size: 25 };
    t.same(
      await inline.chunk('recursive', { ...request, lang }),
      await inline.chunk('recursive', request),
      lang,
    );
  }
});

t.test('an overlap as large as the chunk is refused', async (t) => {
  for (const name of ['token', 'sentence']) {
    const given = await inline.post(`/v1/chunk/${name}`, { text: 'a', chunk_size: 10, chunk_overlap: 10 });
    checkProblem(t, given, 400, /^chunk_overlap: expected less than chunk_size \(10\), got 10\.$/);
    const byDefault = await inline.post(`/v1/chunk/${name}`, { text: 'a', chunk_overlap: 512 });
    checkProblem(t, byDefault, 400, /^chunk_overlap: expected less than chunk_size \(512\), got 512\.$/);
  }
});

t.test('all problems of a body are reported at once', async (t) => {
  const answer = await inline.post('/v1/chunk/sentence', {
    chunk_sise: 3,
    chunk_size: 0,
    delim: ['', 5],
    include_delim: 'both',
    approximate: 'yes',
  });
  const problems = [
    /text: missing/,
    /chunk_sise: unknown/,
    /chunk_size: /,
    /delim/,
    /include_delim: /,
    /approximate: /,
  ];
  checkProblem(t, answer, 400, problems);
});

t.test('a long list of texts with one wrong item names the item', async (t) => {
  const text: unknown[] = Array.from({ length: 5000 }, () => 'a');
  text[4321] = 5;
  checkProblem(
    t,
    await inline.post('/v1/chunk/token', { text }),
    400,
    /^text\[4321\]: expected a string, got 5\.$/,
  );
});

t.test('a huge body of mistakes has a short answer', async (t) => {
  const names = Object.fromEntries(
    Array.from({ length: 2000 }, (_, index) => [`${index}${'x'.repeat(200)}`, 1]),
  );
  const answer = await inline.post('/v1/chunk/token', { text: 'a', ...names });
  checkProblem(t, answer, 400, /and \d+ more problems\.$/);
  t.ok(answer.bytes.length < 10_000, `${answer.bytes.length} bytes`);
});

const MALFORMED: [title: string, body: string | Uint8Array, detail: RegExp][] = [
  ['nothing', '', /^The body is empty: send a JSON object/],
  ['white space', ' \n ', /^The body is (empty|not valid JSON)/],
  ['no JSON', 'text=a', /^The body is not valid JSON: /],
  ['JSON that ends early', '{"text": "a', /^The body is not valid JSON: /],
  ['JSON with more behind it', '{"text": "a"} {"text": "b"}', /^The body is not valid JSON: /],
  ['a trailing comma', '{"text": "a",}', /^The body is not valid JSON: /],
  ['single quotes', "{'text': 'a'}", /^The body is not valid JSON: /],
  ['a line break in a string', '{"text": "a\nb"}', /^The body is not valid JSON: /],
  ['a raw NUL in a string', '{"text": "a\u0000b"}', /^The body is not valid JSON: /],
  ['NaN', '{"text": "a", "chunk_size": NaN}', /^The body is not valid JSON: /],
  ['a number beyond all bounds', '{"text": "a", "chunk_size": 1e400}', /^chunk_size: expected an integer/],
  ['null', 'null', /^body: expected an object, got null/],
  ['a list', '[{"text": "a"}]', /^body: expected an object, got a list/],
  ['a string', '"text"', /^body: expected an object, got "text"/],
  [
    'invalid UTF-8',
    Buffer.from('{"text": "\xff\xfe"}', 'latin1'),
    /not valid UTF-8: encode the JSON as UTF-8/,
  ],
  ['UTF-16', Buffer.from('\ufeff{"text": "a"}', 'utf16le'), /not valid UTF-8/],
  [
    '10,000 levels',
    `{"text": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    /^text\[0\]: expected a string, got a list/,
  ],
  [
    '10,000 levels aside',
    `{"text":"a","x":${'{"x":'.repeat(10_000)}1${'}'.repeat(10_000)}}`,
    /^x: unknown parameter/,
  ],
  ['1,000,000 open brackets', '['.repeat(1_000_000), /^The body is not valid JSON: /],
  ['__proto__', '{"text": "a", "__proto__": {"chunk_size": 1}}', /^__proto__: unknown parameter/],
  ['only __proto__', '{"__proto__": {"text": "a"}}', /text: missing/],
  ['constructor', '{"text": "a", "constructor": {"prototype": {"x": 1}}}', /^constructor: unknown parameter/],
  [
    'toString',
    '{"text": "a", "toString": 1, "hasOwnProperty": 1}',
    /toString: unknown.*hasOwnProperty: unknown/,
  ],
  ['two texts, the last wrong', '{"text": "a", "text": 5}', /^text: expected a string or a list/],
];

t.test('malformed bodies', async (t) => {
  for (const [title, body, detail] of MALFORMED) {
    await t.test(title, async (t) => {
      for (const client of [inline, workers]) {
        checkProblem(t, await client.post('/v1/chunk/token', body), 400, detail);
        await isAlive(t, client);
      }
    });
  }
  t.equal(({} as Record<string, unknown>).chunk_size, undefined, 'no prototype was touched');
});

const UNUSUAL: [title: string, body: string, texts: string[]][] = [
  ['a byte order mark', '\ufeff{"text": "a"}', ['a']],
  ['white space around', ' \r\n\t{ "text" :\n"a" } \n', ['a']],
  ['escapes', '{"text": "\\u00e9\\/\\n\\"\\\\\\t\\b\\f\\r\\u0000"}', ['é/\n"\\\t\b\f\r\u0000']],
  ['an escaped pair', '{"text": "\\ud83d\\ude00!"}', ['😀!']],
  ['a lone surrogate', '{"text": "a\\ud800b\\udc00\\ud800"}', ['a\ud800b\udc00\ud800']],
  ['an escaped key', '{"te\\u0078t": "abc"}', ['abc']],
  ['an escaped key last', '{"text": "first", "te\\u0078t": "second"}', ['second']],
  ['an escaped key first', '{"te\\u0078t": "first", "text": "second"}', ['second']],
  ['duplicate keys', '{"text": "first", "chunk_size": 3, "text": "second", "chunk_size": 10}', ['second']],
  ['a list, then a text', '{"text": ["a", "b"], "text": "c"}', ['c']],
  ['a text as value of another', '{"tokenizer": "character", "text": "text\\": \\"x"}', ['text": "x']],
  ['a text that ends in backslashes', '{"text": "a\\\\\\\\", "chunk_size": 9}', ['a\\\\']],
  ['brackets in texts', '{"text": "}]{[\\",", "offset_unit": "byte"}', ['}]{[",']],
];

t.test('unusual bodies are read as JSON says', async (t) => {
  for (const [title, body, texts] of UNUSUAL) {
    for (const client of [inline, workers]) {
      const answer = await client.post('/v1/chunk/token', body);
      t.equal(answer.status, 200, `${title}: ${answer.bytes}`);
      t.same(
        answer.json<{ text: string }[]>().map((chunk) => chunk.text),
        texts,
        title,
      );
    }
  }
  const list = await inline.post('/v1/chunk/token', '{"text": "a", "text": [ "b" ,\n"\\u0063" ]}');
  t.same(
    list.json<{ text: string }[][]>().map((chunks) => chunks.map((chunk) => chunk.text)),
    [['b'], ['c']],
  );
});

t.test('offsets count escapes as what they stand for', async (t) => {
  const body = '{"text": "\\u00e9\\ud83d\\ude00\\n\\u6f22a", "chunk_size": 1, "offset_unit": "UNIT"}';
  const ends = async (unit: string) => {
    const answer = await inline.post('/v1/chunk/token', body.replace('UNIT', unit));
    return answer.json<{ end_index: number }[]>().map((chunk) => chunk.end_index);
  };
  t.same(await ends('code_point'), [1, 2, 3, 4, 5]);
  t.same(await ends('utf16'), [1, 3, 4, 5, 6]);
  t.same(await ends('byte'), [2, 6, 7, 10, 11]);
});

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

t.test('another content type is 415', async (t) => {
  const path = '/v1/chunk/token';
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'bogus']) {
    const answer = await inline.post(path, '{"text": "a"}', { 'content-type': type });
    checkProblem(
      t,
      answer,
      415,
      /^Content-Type .* is not supported: send the header Content-Type: application\/json\.$/,
    );
  }
  const none = await inline.send(path, { method: 'POST', body: new Blob(['{"text": "a"}']) });
  checkProblem(t, none, 415, /^Content-Type is missing/);
  for (const type of ['application/json; charset=utf-8', 'Application/JSON']) {
    t.equal((await inline.post(path, '{"text": "a"}', { 'content-type': type })).status, 200);
  }
});

t.test('a body over the limit is 413 and the limit is named', async (t) => {
  const client = await startServer(t, { maxBodyBytes: 1000 });
  const body = (bytes: number) => JSON.stringify({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
  t.equal((await client.post('/v1/chunk/token', body(1000))).status, 200);
  const answer = await client.post('/v1/chunk/token', body(1001));
  checkProblem(t, answer, 413, /larger than the limit of 1000 bytes/);
  const path = 'POST /v1/chunk/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
  const announced = await speak(client.port, `${path}content-length: 99999999999\r\n\r\n{`);
  t.match(announced, /^HTTP\/1\.1 413 .*"detail":"The body is larger than the limit of 1000 bytes/s);
  const chunked = await speak(
    client.port,
    `${path}transfer-encoding: chunked\r\n\r\n7d0\r\n${'x'.repeat(2000)}\r\n0\r\n\r\n`,
  );
  t.match(chunked, /^HTTP\/1\.1 413 /);
  await isAlive(t, client);
});

t.test('an answer over the limit is 400 and says what to change', async (t) => {
  const client = await startServer(t, { maxAnswerBytes: 10_000 });
  const answer = await client.post('/v1/chunk/token', {
    text: 'x'.repeat(1000),
    chunk_size: 100,
    chunk_overlap: 99,
  });
  checkProblem(
    t,
    answer,
    400,
    /over the limit of 10000: send less text per request, or lower chunk_overlap\.$/,
  );
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
  const names = routes.map(nameOf);
  const asked = Array.from({ length: 150 }, (_, index) => {
    const mark = `<${index}>`;
    const text = `${mark} ${'é漢😀 word. '.repeat((index * 37) % 400)}${mark}`;
    return { name: names[index % names.length] as string, mark, text, chunk_size: 30 + index };
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
