import { existsSync, rmSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { type FormFile, postFile, postForm } from '../../support/files.ts';
import { chunker, plugin, pluginsFolder } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { speak, startServer, temporaryFolder } from '../../support/server.ts';

/** A reader of files that begin with a line of JSON, what it reads, and behind it the text. */
const READER = `export default () => ({
  async read({ bytes, name, mediaType, charset }, { report }) {
    const whole = Buffer.from(bytes).toString('latin1');
    const end = whole.indexOf('\\n');
    report('seen', 'yes');
    const { fails, ...read } = JSON.parse(whole.slice(0, end));
    if (fails) throw Object.assign(new Error(fails), { expose: true, statusCode: 400 });
    return { text: whole.slice(end + 1), encoding: 'latin1', metadata: { name, mediaType, charset }, ...read };
  },
});`;
const reader = (name: string, formats: object, more: object = {}) =>
  plugin({ kind: 'reader', name, formats, reports: { seen: 'Whether it was seen.' }, ...more }, READER);

const OPTIONS = {
  type: 'object',
  properties: {
    size: { type: 'integer', minimum: 1, default: 5 },
    share: { type: 'number', default: 0.5 },
    flag: { type: 'boolean', default: false },
    word: { type: 'string', default: 'x' },
    side: { enum: ['prev', 'next', null], default: 'prev' },
    marks: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }], default: 'a' },
    list: { type: 'array', items: { type: 'string' }, default: [] },
    numbers: { type: 'array', items: { type: 'integer' }, default: [] },
    inner: { type: 'object', properties: { deep: { type: 'integer' } }, default: {} },
  },
};

const folder = await pluginsFolder(
  t,
  chunker(
    'echo',
    'return [{ start: 0, end: text.length, extra: { options, document: { ...context.document, metadata: context.document.metadata } } }];',
    { options: OPTIONS },
  ),
  reader('odd', { extensions: ['.odd'], mediaTypes: ['application/x-odd', 'odd/*'] }),
  reader(
    'even',
    { extensions: ['.odd', '.even'], mediaTypes: ['application/x-even'] },
    { needs: { env: ['NOT_SET'] } },
  ),
);
const plugins = ['echo', 'character', 'odd', 'even'];
const client = await startServer(t, { pluginsDir: [folder], plugins });

interface Echo {
  readonly text: string;
  readonly options: Record<string, unknown>;
  readonly document: Record<string, unknown>;
  readonly [field: string]: unknown;
}

const ODD: FormFile = { bytes: '{}\nsome text', name: 'a.odd', type: 'application/x-odd; charset=Latin1' };

async function echo(fields: readonly (readonly [string, string])[], file = ODD): Promise<Echo> {
  const answer = await postForm(client, '/v1/chunk/echo/file', file, fields);
  t.equal(answer.status, 200, answer.bytes.toString().slice(0, 200));
  return answer.json<Echo[]>()[0] as Echo;
}

t.test('a form has the file, what is known of it, and the options', async (t) => {
  const { text, document, options } = await echo([
    ...[
      ['size', '12'],
      ['share', '0.25'],
      ['flag', 'true'],
      ['word', '12'],
      ['side', 'null'],
    ],
    ...[
      ['marks', '["b", "c"]'],
      ['list', 'one'],
      ['list', 'two'],
      ['numbers', '7'],
      ['inner', '{"deep": 3}'],
    ],
    ['document', '{"id": "d", "title": "T", "metadata": {"year": 2026, "name": "mine"}}'],
  ] as [string, string][]);
  t.equal(text, 'some text');
  t.match(options, { size: 12, share: 0.25, flag: true, word: '12', side: null, marks: ['b', 'c'] });
  t.same(options.list, ['one', 'two']);
  t.same(options.numbers, [7], 'one of a list');
  t.same(options.inner, { deep: 3 });
  t.match(document, { id: 'd', title: 'T', filename: 'a.odd' });
  const metadata = { name: 'mine', year: 2026, mediaType: 'application/x-odd', charset: 'latin1' };
  t.same(document.metadata, metadata, 'of the request and of the file');
});

t.test('the file may be the body itself, with its fields in the address', async (t) => {
  const path = '/v1/chunk/echo/file?filename=folder%2Fa.odd&size=3&list=one&list=two&include=id';
  const answer = await postFile(client, path, '{}\nä', { 'content-type': 'application/x-odd' });
  const [chunk] = answer.json<Echo[]>();
  t.match(chunk, {
    text: 'Ã¤',
    options: { size: 3, list: ['one', 'two'] },
    document: { filename: 'folder/a.odd' },
  });
  t.ok(chunk?.id);
  t.notOk('index' in (chunk ?? {}), 'with the fields that are asked for');
  t.match(chunk?.document.metadata, { name: 'a.odd' }, 'the reader gets the name without folders');
  t.equal(answer.headers.get('x-source-encoding'), 'latin1');
  t.equal(answer.headers.get('x-seen'), 'yes', 'what the reader reports');
});

t.test('values that do not fit an option are said as they came', async (t) => {
  const cases: [field: string, value: string, RegExp][] = [
    ['size', 'twelve', /^size: expected an integer of at least 1, got "twelve"/],
    ['size', '1.5', /^size: expected an integer of at least 1, got 1.5/],
    ['flag', 'yes', /^flag: expected true or false, got "yes"/],
    ['numbers', '[1', /^numbers(\[0\])?: expected .*integer.*, got "\[1"/],
    ['siez', '1', /^siez: unknown parameter, did you mean "size"\?/],
    ['text', 'a', /^text: unknown parameter/],
    ['document', 'd', /^document: expected JSON such as/],
    ['document', '{"pages": [0]}', /^document\.pages: unknown parameter/],
    ['reader', 'none', /^There is no reader "none"; known are even, odd/],
    ['include', 'ids', /^include(\[0\])?: expected .*"id"/],
  ];
  for (const [field, value, detail] of cases) {
    checkProblem(t, await postForm(client, '/v1/chunk/echo/file', ODD, [[field, value]]), 400, detail);
  }
});

t.test('a body that is no form, or has not one file, is refused', async (t) => {
  const path = '/v1/chunk/echo/file';
  const form = (body: string) =>
    postFile(client, path, body, { 'content-type': 'multipart/form-data; boundary=x' });
  checkProblem(t, await form('abc'), 400, /^The body is no form as its Content-Type says: /);
  checkProblem(t, await form(''), 400, /^The body is empty/);
  checkProblem(t, await form('--x--\r\n'), 400, /^file: missing, expected a file/);
  const noBoundary = await postFile(client, path, 'a', { 'content-type': 'multipart/form-data' });
  checkProblem(t, noBoundary, 400, /^The body is no form/);
  const text = await form('--x\r\ncontent-disposition: form-data; name="file"\r\n\r\nabc\r\n--x--\r\n');
  checkProblem(t, text, 400, /^file: missing, expected a file/);
  const two = new FormData();
  for (const name of ['a.odd', 'b.odd']) two.append('file', new Blob(['{}\n']), name);
  checkProblem(
    t,
    await client.send(path, { method: 'POST', body: two }),
    400,
    /^file: 2 files; send a request for each/,
  );
  const elsewhere = new FormData();
  elsewhere.append('file', new Blob(['{}\n']), 'a.odd');
  elsewhere.append('more', new Blob(['']), 'b.odd');
  checkProblem(
    t,
    await client.send(path, { method: 'POST', body: elsewhere }),
    400,
    /^more: expected a text, got a file/,
  );
  checkProblem(
    t,
    await postFile(client, `${path}?reader=odd&reader=even`, '{}\n'),
    400,
    /^reader: given 2 times/,
  );
});

t.test('the ending of the name decides who reads, then the media type, then who can', async (t) => {
  const status = async (name: string, type: string, fields: [string, string][] = []) => {
    const file = { bytes: '{}\na', name, type };
    return (await postForm(client, '/v1/chunk/echo/file', file, fields)).status;
  };
  t.equal(await status('A.ODD', 'application/x-even'), 200, 'the name, in any case; even cannot run');
  t.equal(await status('a', 'APPLICATION/X-ODD'), 200);
  t.equal(await status('a', 'odd/thing'), 200, 'all media types of a type');
  t.equal(await status('a.even', 'application/x-odd'), 500, 'only one that cannot run reads it');
  t.equal(await status('a.odd', '', [['reader', 'even']]), 500, 'the one that is asked for');
  t.equal(await status('a', '', [['reader', 'odd']]), 200);
  t.equal(await status('a', '', [['filename', 'a.odd']]), 200, 'a name in place of that of the form');
  t.equal(await status('a.txt', 'text/plain'), 415, 'nobody');
  const missing = await postForm(client, '/v1/chunk/echo/file', { ...ODD, name: 'a.even' });
  checkProblem(t, missing, 500, /^The reader "even" cannot run here: set the environment variable NOT_SET/);
  const unread = await postFile(client, '/v1/chunk/echo/file', 'a', { 'content-type': 'text/css' });
  checkProblem(t, unread, 415, /^No reader here takes a file text\/css: .*; there are even, odd\.$/);
});

t.test('of several readers that cannot run all are named', async (t) => {
  const one = (name: string) =>
    reader(name, { extensions: ['.pair'] }, { needs: { env: [`NO_${name.toUpperCase()}`] } });
  const pair = await pluginsFolder(t, one('left'), one('right'));
  const server = await startServer(t, {
    pluginsDir: [folder, pair],
    plugins: ['echo', 'character', 'left', 'right'],
  });
  const refused = await postForm(server, '/v1/chunk/echo/file', { ...ODD, name: 'a.pair' });
  checkProblem(
    t,
    refused,
    500,
    /^The reader "left" or "right" cannot run here: set .* NO_LEFT .*; or set .* NO_RIGHT /,
  );
});

t.test('pages and title of a reader are those of the document', async (t) => {
  const made = '{"pages": [0, 2, 2], "title": "Own", "mediaType": "text/markdown"}\na😀b';
  const chunk = await echo(
    [
      ['include', 'pages'],
      ['size', '1'],
    ],
    { ...ODD, bytes: Buffer.from(made, 'latin1') },
  );
  t.match(chunk, { first_page: 1, document: { title: 'Own', mediaType: 'text/markdown' } });
  t.ok(Number(chunk.last_page) >= 3);
  for (const pages of ['[1]', '[0, 3, 2]', '[0, 99]', '[0, 0.5]']) {
    const answer = await postForm(client, '/v1/chunk/echo/file', {
      ...ODD,
      bytes: `{"pages": ${pages}}\nabc`,
    });
    checkProblem(
      t,
      answer,
      500,
      /^The reader "odd" returned an answer that breaks its contract: its pages do not rise/,
    );
  }
});

t.test('what a reader says of a file that it cannot read is the answer', async (t) => {
  const refused = await postForm(client, '/v1/chunk/echo/file', {
    ...ODD,
    bytes: '{"fails": "no such page"}\n',
  });
  checkProblem(t, refused, 400, /^no such page$/);
  const broken = await postForm(client, '/v1/chunk/echo/file', { ...ODD, bytes: 'not JSON\n' });
  checkProblem(t, broken, 500, /^The reader "odd" failed: an unexpected error/);
});

t.test('limits hold for files', async (t) => {
  const few = await startServer(t, {
    pluginsDir: [folder],
    plugins,
    maxCharacters: 5,
    maxMetadataBytes: 100,
    maxBodyBytes: 5000,
  });
  const post = (bytes: string, fields: [string, string][] = []) =>
    postForm(few, '/v1/chunk/echo/file', { ...ODD, bytes }, fields);
  t.equal((await post('{}\n12345')).status, 200);
  checkProblem(t, await post('{}\n123456'), 400, /^file: 6 characters, over the limit of 5/);
  checkProblem(t, await post(`{}\n${'x'.repeat(6000)}`), 413, /larger than the limit of 5000 bytes/);
  const large = JSON.stringify({ metadata: { x: 'y'.repeat(200) } });
  checkProblem(
    t,
    await post('{}\na', [['document', large]]),
    400,
    /^document\.metadata: \d+ bytes, over the limit of 100/,
  );
});

t.test('metadata of a request stay as they came', async (t) => {
  const path = '/v1/chunk/echo/file?include=metadata';
  const answer = await postForm(client, path, { ...ODD, bytes: '{"metadata": {"a": 1}}\nx' }, [
    ['document', '{"metadata": {"n": 1e400, "n": -0}}'],
  ]);
  t.match(answer.bytes.toString(), '"metadata":{"a":1, "n": 1e400, "n": -0}');
});

t.test('bodies may be compressed, and sent without their length', async (t) => {
  const path = '/v1/chunk/echo/file?filename=a.odd';
  const zipped = await postFile(client, path, gzipSync('{}\nzipped'), { 'content-encoding': 'gzip' });
  t.match(zipped.json(), [{ text: 'zipped' }]);
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
  t.match(
    await speak(client.port, `${head}3\r\n{}\n\r\n3\r\nabc\r\n0\r\n\r\n`),
    '"text":"abc"',
    'nor with a media type',
  );
});

t.test('an empty file has no chunks', async (t) => {
  const answer = await postFile(client, '/v1/chunk/echo/file?filename=a.odd', '{}\n');
  t.same(answer.json(), []);
});

t.test('a reader is told that the client has gone', async (t) => {
  const place = await temporaryFolder(t);
  const index = `import { writeFileSync } from 'node:fs';
export default () => ({
  read: (_file, { signal }) => new Promise((_, reject) => {
    writeFileSync(${JSON.stringify(place)} + '/begun', '');
    signal.addEventListener('abort', () => {
      writeFileSync(${JSON.stringify(place)} + '/told', '');
      reject(signal.reason);
    });
  }),
});`;
  const waiting = await pluginsFolder(
    t,
    plugin({ kind: 'reader', name: 'waiting', formats: { extensions: ['.w'] } }, index),
  );
  for (const workers of [0, 1]) {
    const server = await startServer(t, {
      pluginsDir: [folder, waiting],
      plugins: ['echo', 'character', 'waiting'],
      workers,
    });
    const stop = new AbortController();
    const gone = fetch(`${server.url}/v1/chunk/echo/file?filename=a.w`, {
      method: 'POST',
      body: 'x',
      signal: stop.signal,
    });
    const until = async (file: string) => {
      for (let wait = 0; !existsSync(`${place}/${file}`) && wait < 500; wait++)
        await new Promise((done) => setTimeout(done, 10));
      return existsSync(`${place}/${file}`);
    };
    t.ok(await until('begun'));
    stop.abort();
    await t.rejects(gone);
    t.ok(await until('told'), `${workers} workers`);
    for (const file of ['begun', 'told']) rmSync(`${place}/${file}`);
  }
});

t.test('a pipeline is executed on a file', async (t) => {
  const steps = [{ type: 'chunk', chunker: 'echo', config: { size: 4 } }];
  const { id } = (await client.post('/v1/pipelines', { name: 'files', steps })).json<{ id: string }>();
  const answer = await postForm(client, `/v1/pipelines/${id}/execute/file`, ODD, [['include', 'index']]);
  t.match(answer.json(), [{ text: 'some text', index: 0, context: null, options: { size: 4 } }]);
  t.equal(answer.headers.get('x-source-encoding'), 'latin1');
  const unknown = await postForm(client, '/v1/pipelines/none/execute/file', ODD);
  t.equal(unknown.status, 404);
  checkProblem(
    t,
    await postForm(client, `/v1/pipelines/${id}/execute/file`, ODD, [['size', '1']]),
    400,
    /^size: unknown/,
  );
});

t.test('a chunker that cannot run, and one that is not there', async (t) => {
  t.equal((await postForm(client, '/v1/chunk/none/file', ODD)).status, 404);
  t.equal((await client.get('/v1/chunk/echo/file')).status, 405);
});

t.test('the routes are documented', async (t) => {
  const { paths } = (await client.get('/openapi.json')).json<{
    paths: Record<string, { post: Record<string, unknown> }>;
  }>();
  const operation = paths['/v1/chunk/echo/file']?.post;
  t.match(operation, { operationId: 'chunk_echo_file', tags: ['files'] });
  t.match(JSON.stringify(operation), 'multipart/form-data');
  const { responses } = operation as { responses: Record<string, { headers: object }> };
  t.match(Object.keys(responses['200']?.headers ?? {}), ['x-request-id', 'x-source-encoding', 'x-seen']);
  t.ok(paths['/v1/pipelines/{pipeline_id}/execute/file']);
});
