import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { create, PATH, type Pipeline, STEPS } from '../../support/pipelines.ts';
import { chunker, FIXTURES, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { noPostgres, startPostgres } from '../../support/postgres.ts';
import { checkProblem } from '../../support/problems.ts';
import { until } from '../../support/process.ts';
import { type Answer, type Client, startServer } from '../../support/server.ts';
import { onBothDatabases } from '../../support/stores.ts';
import { LINES } from '../../support/streams.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const SHOWN = [
  { type: 'chunk', chunker: 'token', refinery: null, config: { chunk_size: 4 } },
  { type: 'refine', chunker: null, refinery: 'shout', config: {} },
];

function put(
  client: Client,
  id: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return client.send(`${PATH}/${id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

function remove(client: Client, id: string, headers: Record<string, string> = {}): Promise<Answer> {
  return client.send(`${PATH}/${id}`, { method: 'DELETE', headers });
}

await onBothDatabases(t, async (t, fresh) => {
  const database = await fresh();
  const client = await startServer(t, { ...database, pluginsDir: [FIXTURES] });

  await t.test('create, get, change, list and delete', async (t) => {
    const answer = await client.post(PATH, { name: 'articles', steps: STEPS });
    t.equal(answer.status, 201);
    t.equal(answer.headers.get('etag'), '"1"');
    const created = answer.json<Pipeline>();
    t.match(created, { id: UUID, created_at: TIME, updated_at: created.created_at });
    const { id, created_at } = created;
    t.same(created, {
      id,
      name: 'articles',
      description: null,
      config: { steps: SHOWN },
      created_at,
      updated_at: created_at,
    });
    const location = new URL(answer.headers.get('location') as string, client.url + PATH).pathname;
    const read = await client.get(location);
    t.equal(read.status, 200);
    t.equal(read.headers.get('etag'), '"1"');
    t.same(read.json(), created);

    const changed = await put(client, id, { description: 'of all kinds' });
    t.equal(changed.status, 200);
    t.equal(changed.headers.get('etag'), '"2"');
    const { updated_at } = changed.json<Pipeline>();
    t.ok(updated_at > created_at);
    t.same(changed.json(), { ...created, description: 'of all kinds', updated_at });
    for (const body of [{}, { description: 'of all kinds', steps: STEPS }]) {
      const same = await put(client, id, body);
      t.equal(same.headers.get('etag'), '"2"');
      t.same(same.json(), changed.json(), 'what changes nothing moves nothing');
    }
    t.match((await put(client, id, { description: null, steps: [], name: 'other' })).json(), {
      name: 'other',
      description: null,
      config: { steps: [] },
    });
    t.same(
      (await client.get(PATH)).json<Pipeline[]>().map((one) => one.id),
      [id],
    );

    const gone = await remove(client, id);
    t.equal(gone.status, 204);
    t.equal(gone.bytes.length, 0);
    for (const again of [
      await remove(client, id),
      await client.get(`${PATH}/${id}`),
      await put(client, id, {}),
    ]) {
      checkProblem(t, again, 404, new RegExp(`no pipeline "${id}".*GET /v1/pipelines`));
    }
    t.same((await client.get(PATH)).json(), []);
  });

  await t.test('what is refused only when it is executed is stored', async (t) => {
    const steps = [
      { type: 'refine' },
      { type: 'chunk', refinery: 'shout' },
      { type: 'chunk', chunker: '', refinery: null },
      { type: 'chunk', chunker: 'unknown', config: { x: '\0\ud800' } },
    ];
    for (const [name, list] of [
      ['none', []],
      ['odd', steps],
    ] as const) {
      const answer = await client.post(PATH, { name, steps: list, description: null, allow_missing: true });
      t.equal(answer.status, 201, answer.bytes.toString());
      t.equal(answer.json<Pipeline>().config.steps.length, list.length);
    }
    const odd = (await client.get(`${PATH}?limit=1`)).json<Pipeline[]>()[0];
    t.same(odd?.config.steps, [
      { type: 'refine', chunker: null, refinery: null, config: {} },
      { type: 'chunk', chunker: null, refinery: null, config: {} },
      { type: 'chunk', chunker: '', refinery: null, config: {} },
      { type: 'chunk', chunker: 'unknown', refinery: null, config: { x: '\0\ud800' } },
    ]);
  });

  await t.test('a configuration is kept as it was given, without defaults', async (t) => {
    const { id } = await create(client);
    const body =
      '{"steps":[{"type":"chunk","chunker":"token","config":{"tokenizer":"character","chunk_overlap":1,"chunk_size":3}}]}';
    await put(client, id, body);
    const read = (await client.get(`${PATH}/${id}`)).bytes.toString();
    t.ok(read.includes('"config":{"tokenizer":"character","chunk_overlap":1,"chunk_size":3}'), read);
  });

  await t.test('names of all scripts', async (t) => {
    for (const name of [
      '名前',
      'e\u0301',
      '\u00e9',
      '🧑‍🌾',
      'o\'clock \\ " ??',
      ' ',
      'x'.repeat(255),
      '🎉'.repeat(255),
    ]) {
      const { id } = await create(client, name);
      t.equal((await client.get(`${PATH}/${id}`)).json<Pipeline>().name, name);
      checkProblem(t, await client.post(PATH, { name, steps: [] }), 409, /there is a pipeline .* already/);
    }
  });

  await t.test('bad bodies are refused with all their problems', async (t) => {
    const { id } = await create(client);
    const bad: [unknown, RegExp | RegExp[]][] = [
      ['', /body is empty/],
      ['{', /not valid JSON/],
      ['{"name": "x", "steps": [],}', /not valid JSON/],
      ['[]', /body: expected an object, got a list/],
      ['null', /body: expected an object, got null/],
      [{ name: 'x', step: [] }, /step: unknown parameter, did you mean "steps"/],
      [
        { name: 7, steps: {} },
        [/name: expected a string of 1 to 255 characters, got 7/, /steps: expected a list/],
      ],
      [
        { name: '', steps: null, description: 5 },
        [/name:/, /steps:/, /description: expected a string or null/],
      ],
      [{ name: 'x'.repeat(256), steps: [] }, /name: expected a string of 1 to 255/],
      [
        { name: 'a\0b', steps: [], description: '\ud800' },
        [/name: expected text without NUL/, /description: /],
      ],
      [{ name: 'x', steps: Array.from({ length: 101 }, () => STEPS[0]) }, /at most 100 steps, got 101/],
      [
        { name: 'x', steps: [5, null, {}, { type: 'chunking' }, { type: 'chunk', chunker: 5, config: [] }] },
        [
          /steps\[0\]: expected an object, got 5/,
          /steps\[1\]: expected an object, got null/,
          /steps\[2\]\.type: missing, expected one of "chunk", "refine"/,
          /steps\[3\]\.type: expected one of "chunk", "refine", got "chunking"/,
          /steps\[4\]\.chunker: expected a string or null, got 5/,
          /steps\[4\]\.config: expected an object, got a list/,
        ],
      ],
      [
        { name: 'x', steps: [{ type: 'chunk', chunkr: 'token' }] },
        /steps\[0\]\.chunkr: .*did you mean "chunker"/,
      ],
      [
        { name: 'x', steps: [{ type: 'chunk', config: null }] },
        /steps\[0\]\.config: expected an object, got null/,
      ],
      [
        {
          name: 'x',
          steps: [STEPS[0], { type: 'chunk', chunker: 'token', config: { chunk_size: '5', chunk_sise: 5 } }],
        },
        [
          /steps\[1\]\.config\.chunk_size: expected an integer/,
          /steps\[1\]\.config\.chunk_sise: .*"chunk_size"/,
        ],
      ],
      [
        {
          name: 'x',
          steps: [{ type: 'chunk', chunker: 'token', config: { chunk_size: 5, chunk_overlap: 5 } }],
        },
        /steps\[0\]\.config\.chunk_overlap: expected less than chunk_size \(5\), got 5/,
      ],
      [
        '{"name":"x","steps":[{"type":"chunk","config":{"a":[1e999]}}]}',
        /steps\[0\]\.config\.a\[0\]: .*too large/,
      ],
      [
        `{"name":"x","steps":[{"type":"chunk","config":{"a":${'['.repeat(5000)}${']'.repeat(5000)}}}]}`,
        /100 levels/,
      ],
    ];
    for (const [body, patterns] of bad) {
      checkProblem(t, await client.post(PATH, body), 400, patterns);
      if (!(typeof body === 'string' && body.includes('"x", "steps"'))) {
        checkProblem(t, await put(client, id, body), 400, patterns);
      }
    }
    checkProblem(t, await client.post(PATH, {}), 400, [/name: missing/, /steps: missing/]);
    checkProblem(t, await put(client, id, { name: null }), 400, /name: expected a string/);
    checkProblem(
      t,
      await client.post(PATH, '{}', { 'content-type': 'text/plain' }),
      415,
      /application\/json/,
    );
    const large = { name: 'x', steps: [], description: 'x'.repeat(1_048_576) };
    checkProblem(t, await client.post(PATH, large), 413, /limit of 1048576 bytes/);
    t.equal((await client.get(`${PATH}/${id}`)).headers.get('etag'), '"1"', 'nothing was changed');
  });

  await t.test('bodies may be compressed, and are not streams', async (t) => {
    const pipeline = JSON.stringify({ name: 'compressed', steps: STEPS });
    const compressed = await client.post(PATH, gzipSync(pipeline), { 'content-encoding': 'gzip' });
    t.equal(compressed.status, 201);
    t.match(compressed.json(), { name: 'compressed', config: { steps: SHOWN } });
    const large = gzipSync(Buffer.alloc(2_000_000, ' '));
    checkProblem(t, await client.post(PATH, large, { 'content-encoding': 'gzip' }), 413, /./);
    for (const headers of [{ 'content-type': LINES }, { 'content-encoding': 'lzma' }]) {
      checkProblem(t, await client.post(PATH, pipeline, headers), 415, /is not supported/);
    }
  });

  await t.test('ids and methods that there are not', async (t) => {
    for (const id of ['1', randomUUID(), 'a%00b', '%F0%9F%8E%89', "'%20or%201=1", 'x'.repeat(100)]) {
      checkProblem(t, await client.get(`${PATH}/${id}`), 404, /There is no pipeline/);
      checkProblem(t, await put(client, id, {}), 404, /There is no pipeline/);
      checkProblem(t, await remove(client, id), 404, /There is no pipeline/);
    }
    checkProblem(t, await client.get(`${PATH}/${'x'.repeat(500)}`), 404, /nothing at/);
    for (const [method, path, allowed] of [
      ['DELETE', PATH, /GET.*POST|POST.*GET/],
      ['POST', `${PATH}/${randomUUID()}`, /GET.*PUT.*DELETE/],
      ['PATCH', `${PATH}/${randomUUID()}`, /GET.*PUT.*DELETE/],
    ] as const) {
      const answer = await client.send(path, { method });
      checkProblem(t, answer, 405, allowed);
      t.match(answer.headers.get('allow'), allowed);
    }
  });

  await t.test('If-Match', async (t) => {
    const { id } = await create(client);
    const change = (tag: string) => put(client, id, { description: randomUUID() }, { 'if-match': tag });
    t.equal((await change('"1"')).status, 200);
    checkProblem(t, await change('"1"'), 412, [new RegExp(id), /its ETag is now "2"/]);
    checkProblem(t, await remove(client, id, { 'if-match': '"1", "3"' }), 412, /now "2"/);
    for (const tag of ['*', 'W/"3"', '"9", "4"', '"a,b" , W/"5",']) {
      t.equal((await change(tag)).status, 200, tag);
    }
    for (const tag of ['"abc"', '""', '"06"', '"6.0"', '"a,b"'])
      checkProblem(t, await change(tag), 412, /now "6"/);
    for (const tag of ['6', 'etag', '"6', '"6" "7"', '', '*, "6"', 'w/"6"', "'6'"]) {
      checkProblem(t, await change(tag), 400, /If-Match: expected the ETag/);
    }
    checkProblem(t, await put(client, randomUUID(), {}, { 'if-match': '"1"' }), 404, /no pipeline/);
    t.equal((await remove(client, id, { 'if-match': '"6"' })).status, 204);
  });

  await t.test('of two clients that read the same version, one must read again', async (t) => {
    const { id } = await create(client);
    const etag = (await client.get(`${PATH}/${id}`)).headers.get('etag') as string;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        put(client, id, { description: `${index}` }, { 'if-match': etag }),
      ),
    );
    t.same(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 19 }, () => 412)]);
  });

  await t.test('the same name 100 times at once: one 201 and 99 times 409', async (t) => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => client.post(PATH, { name: 'wanted by all', steps: [] })),
    );
    const statuses = answers.map(({ status }) => status);
    t.equal(statuses.filter((status) => status === 201).length, 1);
    t.equal(statuses.filter((status) => status === 409).length, 99);
  });

  await t.test('everything is there when the server starts again', async (t) => {
    const again = await startServer(t, { ...database, pluginsDir: [FIXTURES] });
    t.same((await again.get(PATH)).json(), (await client.get(PATH)).json());
    const { id } = await create(again);
    t.equal((await client.get(`${PATH}/${id}`)).status, 200, 'two servers share one database');
  });
});

t.test("a step is checked with its plugin's own options, of drop-ins too", async (t: Test) => {
  const options = { type: 'object', properties: { level: { type: 'integer', minimum: 1 } } };
  const folder = await pluginsFolder(
    t,
    chunker('levels', WHOLE_TEXT, { options }),
    chunker('lacking', WHOLE_TEXT, { options, needs: { packages: ['no-such-package'] } }),
  );
  const client = await startServer(t, { pluginsDir: [folder] });
  for (const name of ['levels', 'lacking']) {
    const steps = (level: unknown) => [{ type: 'chunk', chunker: name, config: { level } }];
    t.equal((await client.post(PATH, { name, steps: steps(1) })).status, 201);
    const bad = await client.post(PATH, { name: `${name} 2`, steps: steps(0) });
    checkProblem(t, bad, 400, /^steps\[0\]\.config\.level: expected an integer of at least 1, got 0\.$/);
  }
});

t.test(
  'while PostgreSQL is away: 503 with Retry-After, and then as before',
  { skip: noPostgres },
  async (t) => {
    const postgres = await startPostgres(t);
    const client = await startServer(t, { databaseUrl: postgres.freshUrl(), pluginsDir: [FIXTURES] });
    const before = await create(client);
    await postgres.stop();
    for (const answer of [
      await client.get(`${PATH}/${before.id}`),
      await client.get(PATH),
      await client.post(PATH, { name: 'lost', steps: [] }),
      await put(client, before.id, { description: 'lost' }),
      await remove(client, before.id),
    ]) {
      checkProblem(t, answer, 503, /The database cannot be used now: the database does not answer/);
      t.match(answer.headers.get('retry-after'), /^\d+$/);
    }
    t.equal((await client.get('/health')).status, 200);
    t.equal((await client.post('/v1/chunk/token', { text: 'abc' })).status, 200, 'what needs no store works');
    await postgres.start();
    await until(async () => (await client.get(`${PATH}/${before.id}`)).status === 200);
    t.same((await client.get(PATH)).json(), [before]);
  },
);
