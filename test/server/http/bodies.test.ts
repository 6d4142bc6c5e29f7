import t, { type Test } from 'tap';
import { checkProblem } from '../../support/problems.ts';
import { type Client, speak, startServer } from '../../support/server.ts';

const MOST_BYTES = 20_000_000;
const inline = await startServer(t, { maxBodyBytes: MOST_BYTES });
const workers = await startServer(t, { workers: 2, inlineBytes: 1000, maxBodyBytes: MOST_BYTES });
const isAlive = async (t: Test, client: Client) => t.equal((await client.get('/health')).status, 200);

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
