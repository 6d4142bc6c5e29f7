import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import chunksmith from '../../../server/app.ts';
import { findChromium, type Page, startBrowser } from '../../support/browser.ts';
import { needs } from '../../support/here.ts';
import {
  type OpenApi,
  postRoutes,
  readOpenApi,
  type Schema,
  unavailablePaths,
} from '../../support/openapi.ts';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { type Client, startServer, temporaryFolder, withStandIns } from '../../support/server.ts';

const client = await startServer(t);
const openApi = await readOpenApi(client);
const chunkRoutes = await postRoutes(client, '/v1/chunk/');
const routes = [...chunkRoutes, ...(await postRoutes(client, '/v1/refine/'))];
const unavailable = await unavailablePaths(client);
const schemaOf = (name: string) =>
  routes.find(({ path }) => path === `/v1/chunk/${name}`)?.schema.properties ?? {};

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
});

t.test('it has the parameters of the interface, with types, bounds, choices and defaults', async (t) => {
  const tokenizer = { type: 'string', default: 'character' };
  const chunk_size = { type: 'integer', minimum: 1, default: 512 };
  const chunk_overlap = { type: 'integer', minimum: 0, default: 0 };
  const count = (value: number) => ({ type: 'integer', minimum: 1, default: value });
  const text = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };
  const offset_unit = { enum: ['code_point', 'utf16', 'byte'], default: 'code_point' };
  const shared = {
    text,
    include: { type: 'array' },
    namespace: { type: 'string' },
  };
  const expected: Record<string, Record<string, object>> = {
    token: { ...shared, tokenizer, chunk_size, chunk_overlap, offset_unit },
    sentence: {
      ...shared,
      tokenizer,
      chunk_size,
      chunk_overlap,
      min_sentences_per_chunk: count(1),
      min_characters_per_sentence: count(12),
      approximate: { type: 'boolean', default: false },
      delim: {
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
        default: ['\n', '. ', '! ', '? ', '。', '！', '？', '｡'],
      },
      include_delim: { enum: ['prev', 'next', null], default: 'prev' },
      sentences: { enum: ['delimiters', 'rules'], default: 'delimiters' },
      lang: { type: 'string', default: 'en' },
      oversize: { enum: ['keep', 'split'], default: 'keep' },
      offset_unit,
    },
    recursive: {
      ...shared,
      tokenizer,
      chunk_size,
      chunk_overlap,
      recipe: { type: 'string', default: 'default' },
      delimiters: { type: 'array', items: { type: 'string' }, default: [] },
      levels: { type: 'array', items: { type: 'array', items: { type: 'string' } }, default: [] },
      lang: { type: 'string', default: 'en' },
      min_characters_per_chunk: count(24),
      offset_unit,
    },
  };
  for (const [name, parameters] of Object.entries(expected)) {
    await t.test(name, needs(`chunker/${name}`), async (t) => {
      const found = schemaOf(name);
      t.same(Object.keys(found).sort(), Object.keys(parameters).sort());
      for (const [parameter, schema] of Object.entries(parameters))
        t.match(found[parameter], schema, parameter);
    });
  }
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

  t.test(`${path}: its example works when it is pasted`, { skip }, async (t) => {
    t.ok(examples.length > 0, 'there is one');
    for (const example of examples) {
      const answer = await client.post(path, example);
      t.equal(answer.status, 200, answer.bytes.subarray(0, 300).toString());
      t.ok(answer.json<unknown[]>().length > 1, 'it shows more than one chunk');
      t.ok(checkAnswer(operation, answer.json()), 'the answer is as described');
    }
  });

  t.test(`${path}: the defaults are what happens without them`, { skip }, async (t) => {
    const text = 'One sentence here. 二つ目の文。 And a third 😀 one!\n\nA paragraph. '.repeat(30);
    const isChunker = path.startsWith('/v1/chunk/');
    for (const base of isChunker ? [...examples, { text: takes(text) }] : examples) {
      const answer = await client.post(path, base);
      t.equal(answer.status, 200);
      for (const [name, parameter] of parameters) {
        if (!('default' in parameter) || name in base) continue;
        const same = await client.post(path, { ...base, [name]: parameter.default });
        t.ok(same.bytes.equals(answer.bytes), name);
      }
    }
  });
}

/** Redoc makes up an answer where a plugin that cannot run here shows none, and says that it may be wrong. */
const isOurs = (problem: string) => !problem.includes('OpenAPI Sampler: found allOf with');

/** Whether an answer is what the document says of status 200. */
function checkAnswer(operation: unknown, answer: unknown): boolean {
  const { responses } = operation as {
    responses: Record<string, { content: Record<string, { schema: Schema }> }>;
  };
  const schema = responses['200']?.content['application/json']?.schema ?? {};
  return new Ajv({ strict: false }).compile(closed(schema))(answer);
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
  const bulkRoot = await temporaryFolder(t);
  const other = await startServer(t, { pluginsDir: [folder], bulkRoot });
  const steps = [{ type: 'chunk', chunker: 'token' }];
  await other.post('/v1/jobs', { source: { documents: [{ text: 'a' }] }, steps });
  const { paths } = await readOpenApi(other);
  const gets = Object.entries(paths).filter(
    ([path, operations]) => 'get' in operations && !path.includes('{') && path !== '/metrics',
  );
  t.ok(gets.length >= 3);
  for (const [path, { get }] of gets) t.ok(checkAnswer(get, (await other.get(path)).json()), path);
});

const PAGES = ['/docs', '/redoc'];

t.test('the pages have a strict policy and name no other host', async (t) => {
  for (const path of PAGES.flatMap((page) => [page, `${page}/`])) {
    const answer = await client.get(path);
    const policy = answer.headers.get('content-security-policy') ?? '';
    t.match(policy, /default-src 'none'/);
    t.match(policy, /script-src 'self'(;|$)/);
    t.notMatch(policy, /unsafe-eval|https?:|\*/);
    const html = answer.bytes.toString();
    t.notMatch(html, /(src|href)="(https?:)?\/\//);
    for (const [, address = ''] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      if (address.startsWith('data:')) continue;
      const file = await fetch(new URL(address, answer.url));
      t.equal(file.status, 200, `${address} of ${path}`);
      await file.body?.cancel();
    }
  }
});

t.test(
  'the pages are named for the service, have no logo of a library, and lead to each other',
  async (t) => {
    for (const path of PAGES) {
      const html = (await client.get(path)).bytes.toString();
      t.match(html, /<title>Chunksmith<\/title>/);
      t.notMatch(html, /favicon-\d+x\d+\.png/);
    }
    t.match(
      openApi.tags.map(({ name }) => name),
      ['chunk', 'files', 'refine', 'texts', 'evaluate', 'pipelines', 'jobs', 'meta'],
    );
  },
);

const chromium = findChromium();
const skip = chromium === undefined ? 'there is no Chromium on this machine; CHROMIUM can name one' : false;

t.test('in a browser', { skip }, async (t) => {
  const browser = await startBrowser(t, chromium as string);
  const opened = new Map<string, Page>();

  for (const path of PAGES) {
    await t.test(`${path} loads whole, from this server alone, without a problem`, async (t) => {
      const page = await browser.open(client.url + path);
      opened.set(path, page);
      await checkPage(t, client, page, openApi);
    });
  }

  for (const path of [...PAGES, '/docs/']) {
    await t.test(`${path} has links to the other page, no margin and no bar of the library`, async (t) => {
      const page = opened.get(path) ?? (await browser.open(client.url + path));
      await page.until(`document.querySelectorAll('.pages a').length === 4`);
      const links = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.pages a')].map(({ href }) => href)`,
      );
      t.same(
        links,
        ['/playground', ...PAGES, '/openapi.json'].map((other) => client.url + other),
      );
      t.equal(await page.evaluate('getComputedStyle(document.body).margin'), '0px');
      t.equal(await page.evaluate('document.title'), 'Chunksmith');
      t.equal(await page.evaluate(`document.querySelector('.topbar') === null`), true);
    });
  }

  const click = async (page: Page, selector: string) => {
    await page.until(`document.querySelector('${selector}') !== null`);
    await page.evaluate(`document.querySelector('${selector}').click()`);
  };
  /** Runs the example of a route, and gives what the page then shows of the answer. */
  const runExample = async (page: Page): Promise<string> => {
    const operation = '#operations-chunk-chunk_token';
    for (const button of ['.opblock-summary-control', '.try-out__btn', '.execute'])
      await click(page, `${operation} ${button}`);
    await page.until(
      `document.querySelector('${operation} .live-responses-table .response-col_status') !== null`,
    );
    return page.evaluate(`document.querySelector('${operation} .live-responses-table').innerText`);
  };

  await t.test('an example runs from /docs', async (t) => {
    const page = opened.get('/docs') as Page;
    t.match(await runExample(page), /200/);
    t.same(page.problems.filter(isOurs), []);
  });

  await t.test('with a key too', async (t) => {
    const guarded = await startServer(t, { apiKeys: 'key-of-a-test' });
    const page = await browser.open(`${guarded.url}/docs`);
    await click(page, '.authorize');
    await page.until(`document.querySelector('.modal-ux input') !== null`);
    await page.evaluate(`(() => {
      const field = document.querySelector('.modal-ux input');
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'key-of-a-test');
      field.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
    await click(page, '.modal-ux button[type=submit]');
    await click(page, '.modal-ux .btn-done');
    t.match(await runExample(page), /200/);
    t.same(
      page.requests.filter((url) => !url.startsWith(guarded.url) && !url.startsWith('data:')),
      [],
    );
  });

  await t.test('below a prefix both load too', async (t) => {
    const host = Fastify({ forceCloseConnections: true });
    t.teardown(() => host.close());
    await host.register(chunksmith, { prefix: '/below', config: withStandIns({ workers: 0 }) });
    const url = await host.listen({ host: '127.0.0.1', port: 0 });
    const pages = await Promise.all(PAGES.map((path) => browser.open(`${url}/below${path}`)));
    for (const [index, page] of pages.entries()) {
      await page.until(shows('/below/v1/chunk/token'));
      t.same(page.problems.filter(isOurs), [], PAGES[index] ?? '');
    }
  });
});

async function checkPage(t: Test, client: Client, page: Page, { paths }: OpenApi): Promise<void> {
  for (const path of Object.keys(paths)) {
    await page.until(shows(path));
  }
  t.same(page.problems.filter(isOurs), []);
  const foreign = page.requests.filter((url) => !url.startsWith(client.url) && !url.startsWith('data:'));
  t.same(foreign, []);
  t.ok(page.requests.length >= 3);
}

/** Both pages put invisible places to break into long paths. */
function shows(text: string): string {
  return `document.body.innerText.replaceAll('\\u200b', '').includes(${JSON.stringify(text)})`;
}
