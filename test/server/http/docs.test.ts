import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import t from 'tap';
import {
  type Operation,
  postRoutes,
  readOpenApi,
  type Schema,
  unavailablePaths,
} from '../../support/openapi.ts';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';

/** What the documentation says of each route is so, and its pages load from this server alone. */

const client = await startServer(t);
const openApi = await readOpenApi(client);
const chunkRoutes = await postRoutes(client, '/v1/chunk/');
const routes = [...chunkRoutes, ...(await postRoutes(client, '/v1/refine/'))];
const unavailable = await unavailablePaths(client);

t.test('the document is valid OpenAPI 3.1', async (t) => {
  t.match(openApi.openapi, /^3\.1\./);
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(openApi)));
  t.ok(valid, JSON.stringify(errors));
});

t.test('it describes every endpoint, and no other', async (t) => {
  const { endpoints } = (await client.get('/')).json<{ endpoints: string[] }>();
  const described = Object.entries(openApi.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  t.same(described.sort(), endpoints.sort());
  const tags = openApi.tags.map(({ name }) => name);
  t.same(tags, ['chunk', 'files', 'refine', 'texts', 'evaluate', 'pipelines', 'jobs', 'meta']);
});

for (const { path, operation, schema, parameters, examples, takes } of routes) {
  t.test(`${path} is described`, async (t) => {
    t.ok(operation.summary);
    for (const [name, parameter] of parameters) {
      t.ok(parameter.description, `${name} has a description`);
      if (!schema.required?.includes(name)) t.ok('default' in parameter, `${name} has a default`);
    }
    for (const [status, { description }] of Object.entries(operation.responses)) t.ok(description, status);
    t.match(Object.keys(operation.responses), ['200', '400', '405', '413', '415', '500', '503']);
  });

  const skip = unavailable.has(path) && 'the plugin cannot run here';

  t.test(`${path}: its example works when it is pasted, and is answered as shown`, { skip }, async (t) => {
    t.ok(examples.length > 0, 'there is one');
    const shown = Object.values(operation.responses['200']?.content?.['application/json'].examples ?? {});
    for (const [index, example] of examples.entries()) {
      const answer = await client.post(path, example);
      t.equal(answer.status, 200, answer.bytes.subarray(0, 300).toString());
      t.ok(answer.json<unknown[]>().length > 1, 'it shows more than one chunk');
      t.ok(checkAnswer(operation, answer.json()), 'the answer is as described');
      if (index === 0) t.same(answer.json(), shown[0]?.value);
    }
  });

  t.test(`${path}: the defaults are what happens without them`, { skip }, async (t) => {
    const text = 'One sentence here. 二つ目の文。 And a third 😀 one!\n\nA paragraph. '.repeat(30);
    const isChunker = path.startsWith('/v1/chunk/');
    for (const base of isChunker ? [...examples, { text: takes(text) }] : examples) {
      const { status, bytes } = await client.post(path, base);
      t.equal(status, 200);
      const defaults = parameters.flatMap(([name, parameter]) =>
        'default' in parameter && !(name in base) ? [[name, parameter.default]] : [],
      );
      const isSame = async (given: unknown[][]) =>
        (await client.post(path, { ...base, ...Object.fromEntries(given) })).bytes.equals(bytes);
      // Some options exclude each other: then each default is given alone.
      if (await isSame(defaults)) t.pass('all of them together');
      else for (const one of defaults) t.ok(await isSame([one]), String(one[0]));
    }
  });
}

const ajv = new Ajv({ strict: false, validateFormats: false });

/** Whether an answer is what the document says of status 200. */
function checkAnswer({ responses }: Operation, answer: unknown): boolean {
  return ajv.compile(closed(responses['200']?.content?.['application/json'].schema ?? {}))(answer);
}

/** The schema, with no other members allowed than it names, unless it says so. */
function closed(schema: Schema): Schema {
  const { anyOf, items, properties } = schema;
  return {
    ...schema,
    ...(anyOf && { anyOf: anyOf.map(closed) }),
    ...(items && { items: closed(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, closed(one)])),
      additionalProperties: schema.additionalProperties ?? false,
    }),
  };
}

t.test('the answers of the other endpoints are as described', async (t) => {
  const folder = await pluginsFolder(t, chunker('lacking', WHOLE_TEXT, { needs: { env: ['NO_SUCH_KEY'] } }));
  const plugins = ['token', 'character', 'lacking'];
  const bulkRoot = await temporaryFolder(t);
  const other = await startServer(t, { plugins, pluginsDir: [folder], bulkRoot });
  const steps = [{ type: 'chunk', chunker: 'token' }];
  await other.post('/v1/jobs', { source: { documents: [{ text: 'a' }] }, steps });
  const { paths } = await readOpenApi(other);
  const gets = Object.entries(paths).filter(([path]) => !path.includes('{') && path !== '/metrics');
  for (const [path, { get }] of gets)
    if (get !== undefined) t.ok(checkAnswer(get, (await other.get(path)).json()), path);
  t.ok(gets.length >= 3);
});

t.test('the pages have a strict policy, name no other host, and are named for the service', async (t) => {
  for (const path of ['/docs', '/docs/', '/redoc', '/redoc/']) {
    const answer = await client.get(path);
    const policy = answer.headers.get('content-security-policy') ?? '';
    t.match(policy, /default-src 'none'/);
    t.match(policy, /script-src 'self'(;|$)/);
    t.notMatch(policy, /unsafe-eval|https?:|\*/);
    const html = answer.bytes.toString();
    t.notMatch(html, /(src|href)="(https?:)?\/\//);
    t.match(html, /<title>[A-Z][^<]+ – Chunksmith<\/title>/);
    t.notMatch(html, /favicon-\d+x\d+\.png/, 'the logo of a library');
    for (const [, address = ''] of html.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)) {
      const file = await fetch(new URL(address, answer.url));
      t.equal(file.status, 200, `${address} of ${path}`);
      await file.body?.cancel();
    }
  }
});
