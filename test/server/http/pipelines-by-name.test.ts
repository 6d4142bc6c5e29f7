import t from 'tap';
import { PATH, type Pipeline } from '../../support/pipelines.ts';
import { chunker, FIXTURES, plugin, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { type Answer, type Client, startServer, temporaryFolder } from '../../support/server.ts';
import { onBothDatabases } from '../../support/stores.ts';

const STEPS = [{ type: 'chunk', chunker: 'token', config: { chunk_size: 4 } }];

function put(
  client: Client,
  query: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return client.send(`${PATH}${query}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

await onBothDatabases(t, async (t, fresh) => {
  const database = await fresh();
  const client = await startServer(t, database);
  const replica = await startServer(t, database);
  const named = async (name: string) =>
    (await client.get(`${PATH}?name=${encodeURIComponent(name)}`)).json<Pipeline[]>();

  await t.test('PUT with a name creates, and then updates the whole', async (t) => {
    const created = await put(client, '?name=articles', { description: 'all kinds', steps: STEPS });
    t.equal(created.status, 201, created.bytes.toString());
    t.equal(created.headers.get('etag'), '"1"');
    const { id } = created.json<Pipeline>();
    const location = new URL(created.headers.get('location') as string, client.url + PATH).pathname;
    t.equal(location, `${PATH}/${id}`);
    t.same((await client.get(location)).json(), created.json());

    const updated = await put(client, '?name=articles', { name: 'articles', steps: [] });
    t.equal(updated.status, 200);
    t.equal(updated.headers.get('etag'), '"2"');
    t.equal(updated.headers.get('location'), null);
    t.match(updated.json(), { id, name: 'articles', description: null, config: { steps: [] } });
    t.same(await named('articles'), [updated.json()]);
    t.same(await named('Articles'), []);
    t.equal((await put(client, '/?name=with+slash%2F', { steps: [] })).json<Pipeline>().name, 'with slash/');
    checkProblem(
      t,
      await client.post(`${PATH}/articles/execute`, { text: 'a' }),
      404,
      /no pipeline "articles"/,
    );
  });

  await t.test('what is wrong with a PUT by name is said at once', async (t) => {
    for (const [query, body, patterns] of [
      ['', { steps: [] }, /query\.name: missing, expected a string of 1 to 255 characters/],
      ['?name=', { steps: [] }, /query\.name: expected a string of 1 to 255/],
      ['?name=a&name=b', { steps: [] }, /query\.name: expected a string.*got a list/],
      ['?name=a%00', { steps: [] }, /query\.name: expected text without NUL/],
      ['?nam=a', {}, [/query\.nam: unknown parameter, did you mean "name"/, /steps: missing/]],
      ['?name=a', { name: 'b', steps: [] }, /name: expected that of the query, "a", or none, got "b"/],
      ['?name=a', { description: 'x' }, /steps: missing/],
      ['?name=a', { steps: [{ type: 'chunk', chunker: 'tokn' }] }, /did you mean "token"/],
    ] as const) {
      checkProblem(t, await put(client, query, body), 400, patterns as RegExp | RegExp[]);
    }
    t.same(await named('a'), []);
  });

  await t.test('If-Match as for a PUT by id', async (t) => {
    const change = (tag: string, description: string) =>
      put(client, '?name=matched', { description, steps: [] }, { 'if-match': tag });
    checkProblem(t, await change('*', 'none'), 404, /no pipeline "matched"/);
    await put(client, '?name=matched', { steps: [] });
    t.equal((await change('"1"', 'a')).headers.get('etag'), '"2"');
    checkProblem(t, await change('"1"', 'b'), 412, /its ETag is now "2"/);
    checkProblem(t, await change('2', 'b'), 400, /If-Match: expected the ETag/);
    t.equal((await change('*', 'c')).headers.get('etag'), '"3"');
  });

  await t.test('the same name many times at once on two servers: one 201, and the others 200', async (t) => {
    const all = Array.from({ length: 40 }, (_, index) => `${index}`);
    const answers = await Promise.all(
      all.map((description, index) =>
        put(index % 2 ? client : replica, '?name=wanted', { description, steps: [] }),
      ),
    );
    t.same(answers.map(({ status }) => status).sort(), [...all.slice(1).map(() => 200), 201]);
    const tags = answers.map(({ headers }) => headers.get('etag'));
    t.equal(new Set(tags).size, all.length, 'each made a version of its own');
    const last = answers[tags.indexOf(`"${all.length}"`)] as Answer;
    t.same(await named('wanted'), [last.json()]);
  });
});

t.test('a step whose plugin does not exist is refused, with the list and the closest name', async (t) => {
  const client = await startServer(t, { pluginsDir: [FIXTURES] });
  const steps = [
    { type: 'chunk', chunker: 'tokn' },
    { type: 'refine', refinery: 'zzz-nothing-like-it' },
  ];
  const refused = [
    /steps\[0\]\.chunker: there is no chunker "tokn"; known are .*token.* \(did you mean "token"\?\)/,
    /steps\[1\]\.refinery: there is no refinery "zzz-nothing-like-it"; known are .*shout/,
    /allow_missing/,
  ];
  checkProblem(t, await client.post(PATH, { name: 'x', steps }), 400, refused);
  const kept = await client.post(PATH, { name: 'x', steps, allow_missing: true });
  t.equal(kept.status, 201);
  const { id } = kept.json<Pipeline>();
  t.notOk('allow_missing' in kept.json<object>());
  checkProblem(t, await put(client, `/${id}`, { steps }), 400, refused);
  t.equal((await put(client, `/${id}`, { description: 'only this' })).status, 200);
  t.equal((await put(client, `/${id}`, { steps, allow_missing: true })).status, 200);
  t.equal((await put(client, '?name=x', { steps, allow_missing: true })).status, 200);
  checkProblem(
    t,
    await put(client, `/${id}`, { allow_missing: 'yes' }),
    400,
    /allow_missing: expected true or false/,
  );
  checkProblem(
    t,
    await client.post(`${PATH}/${id}/execute`, { text: 'a' }),
    400,
    /there is no chunker "tokn"/,
  );
});

t.test('a pipeline runs once its plugin is there, and is read when it has gone', async (t) => {
  const dataDir = await temporaryFolder(t);
  const folder = await pluginsFolder(t, chunker('late-one', WHOLE_TEXT));
  const steps = [{ type: 'chunk', chunker: 'late-one' }];
  const before = await startServer(t, { dataDir });
  const { id } = (await before.post(PATH, { name: 'x', steps, allow_missing: true })).json<Pipeline>();
  const text = 'one whole text';
  const loaded = await startServer(t, { dataDir, pluginsDir: [folder] });
  t.match((await loaded.post(`${PATH}/${id}/execute`, { text })).json(), [{ text }]);
  const after = await startServer(t, { dataDir });
  t.match((await after.get(`${PATH}/${id}`)).json(), { config: { steps } });
  checkProblem(t, await after.post(`${PATH}/${id}/execute`, { text }), 400, /there is no chunker "late-one"/);
});

t.test(
  'names of steps are taken in any case and as classes are called, and stored as the plugin has them',
  async (t) => {
    const shout = { kind: 'refinery', name: 'shout-out' };
    const folder = await pluginsFolder(
      t,
      chunker('whole-text', WHOLE_TEXT),
      plugin(shout, 'export default () => ({ refine: (chunks) => [...chunks] });'),
    );
    const client = await startServer(t, { pluginsDir: [folder] });
    const text = 'Some words. More words.';
    for (const [chunkerName, refineryName, own] of [
      ['Token', 'ShoutOut', ['token', 'shout-out']],
      ['TOKEN', 'SHOUT-OUT', ['token', 'shout-out']],
      ['TokenChunker', 'ShoutOutRefinery', ['token', 'shout-out']],
      ['token_chunker', 'shout-out-refinery', ['token', 'shout-out']],
      ['WholeText', 'shout_out', ['whole-text', 'shout-out']],
      ['WholeTextChunker', 'shout_out', ['whole-text', 'shout-out']],
      ['whole_text', 'shout_out', ['whole-text', 'shout-out']],
    ] as const) {
      const steps = [
        { type: 'chunk', chunker: chunkerName },
        { type: 'refine', refinery: refineryName },
      ];
      const stored = await client.post(PATH, { name: chunkerName, steps });
      t.equal(stored.status, 201, stored.bytes.toString());
      const { id, config } = stored.json<Pipeline>();
      t.match(config.steps, [{ chunker: own[0] }, { refinery: own[1] }]);
      t.equal((await client.post(`${PATH}/${id}/execute`, { text })).status, 200);
    }
    checkProblem(
      t,
      await client.post(PATH, {
        name: 'x',
        steps: [{ type: 'chunk', chunker: 'Token', config: { chunk_size: '512' } }],
      }),
      400,
      /steps\[0\]\.config\.chunk_size: expected an integer/,
    );
  },
);
