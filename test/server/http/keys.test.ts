import { join } from 'node:path';
import Fastify from 'fastify';
import t from 'tap';
import chunksmith, { configOf } from '../../../server/app.ts';
import { describeAccess, readKeys } from '../../../server/config/access.ts';
import { readConfig } from '../../../server/config/config.ts';
import { findChromium, startBrowser } from '../../support/browser.ts';
import type { OpenApi } from '../../support/openapi.ts';
import { startProcess } from '../../support/process.ts';
import { type Client, startServer, temporaryFolder } from '../../support/server.ts';

const KEY = { authorization: 'Bearer first-key' };
const PAGES = [
  '/docs',
  '/docs/',
  '/docs/json',
  '/redoc',
  '/redoc/redoc.js',
  '/redoc/start.js',
  '/openapi.json',
];

async function statusesOf({ send }: Client, paths: readonly string[], headers = {}): Promise<number[]> {
  const answers = await Promise.all(paths.map((path) => send(path, { headers })));
  return answers.map(({ status }) => status);
}

const all = (status: number, paths: readonly string[]) => paths.map(() => status);

t.test('requests must carry one of the keys', async (t) => {
  const { get, post } = await startServer(t, { apiKeys: 'first-key, second-key' });
  for (const path of ['/health', '/ready']) t.equal((await get(path)).status, 200, path);
  for (const path of ['/', '/metrics', '/v1/plugins', '/v1/pipelines', '/nothing', '/docsx']) {
    const answer = await get(path);
    t.equal(answer.status, 401, path);
    t.equal(answer.headers.get('www-authenticate'), 'Bearer');
    t.match(answer.json(), { detail: /Authorization: Bearer/ });
  }
  for (const [header, status] of [
    ['Bearer first-key', 200],
    ['bearer second-key', 200],
    ['Bearer first-key,second-key', 401],
    ['Bearer first', 401],
    ['Bearer ', 401],
    ['Basic first-key', 401],
    ['first-key', 401],
  ] as const) {
    const answer = await post('/v1/chunk/token', { text: 'a' }, { authorization: header });
    t.equal(answer.status, status, header);
    t.notMatch(answer.bytes.toString(), /-key/);
  }
});

t.test('the documentation opens without a key, and with --docs-need-key only with one', async (t) => {
  const open = await startServer(t, { apiKeys: 'first-key' });
  t.same(await statusesOf(open, PAGES), all(200, PAGES));
  const closed = await startServer(t, { apiKeys: 'first-key', docsNeedKey: true });
  t.same(await statusesOf(closed, PAGES), all(401, PAGES));
  t.same(await statusesOf(closed, PAGES, KEY), all(200, PAGES));
  const keyless = await startServer(t, { docsNeedKey: true });
  t.same(await statusesOf(keyless, PAGES), all(200, PAGES), 'where no keys are set, none is asked for');
});

t.test('the documentation opens without a key below a prefix', async (t) => {
  const host = Fastify({ forceCloseConnections: true });
  t.teardown(() => host.close());
  await host.register(chunksmith, { prefix: '/below', config: { workers: 0, apiKeys: 'first-key' } });
  const url = await host.listen({ host: '127.0.0.1', port: 0 });
  const statusOf = async (path: string) => (await fetch(`${url}/below${path}`)).status;
  for (const path of [...PAGES, '/health', '/ready']) t.equal(await statusOf(path), 200, path);
  for (const path of ['/', '/v1/plugins', '/metrics']) t.equal(await statusOf(path), 401, path);
});

t.test('the OpenAPI document says how keys are sent, and for which routes', async (t) => {
  const { get } = await startServer(t, { apiKeys: 'first-key' });
  const document = (await get('/openapi.json')).json<OpenApi & { security: object; components: object }>();
  t.match(document.components, { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } });
  t.same(document.security, [{ apiKey: [] }]);
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const operation of Object.values(operations)) {
      const isOpen = ['/health', '/ready'].includes(path);
      t.equal('401' in operation.responses, !isOpen, path);
      t.same((operation as { security?: object }).security, isOpen ? [] : undefined, path);
    }
  }
});

t.test('the document of a service without keys asks for none', async (t) => {
  const { get } = await startServer(t);
  const document = (await get('/openapi.json')).json<{ security: object; components: object }>();
  t.same(document.security, []);
  t.notOk('securitySchemes' in document.components);
});

const chromium = findChromium();
const skip = chromium === undefined ? 'there is no Chromium on this machine; CHROMIUM can name one' : false;

t.test('Authorize in /docs sends the key with the requests that are tried out', { skip }, async (t) => {
  const { url } = await startServer(t, { apiKeys: 'first-key' });
  const page = await (await startBrowser(t, chromium as string)).open(`${url}/docs`);
  const click = async (selector: string) => {
    await page.until(`document.querySelector('${selector}') !== null`);
    await page.evaluate(`document.querySelector('${selector}').click()`);
  };
  await click('.auth-wrapper .authorize');
  await page.until(`document.querySelector('.auth-container input') !== null`);
  // React hears a change only if the value is set through the prototype.
  await page.evaluate(`(() => {
    const input = document.querySelector('.auth-container input');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, 'first-key');
    input.dispatchEvent(new Event('input', { bubbles: true }));
  })()`);
  await click('.auth-container button.authorize');
  await click('.auth-container .btn-done');
  const operation = '[id^="operations-"][id$="chunk_token"]';
  for (const button of ['.opblock-summary-control', '.try-out__btn', '.execute']) {
    await click(`${operation} ${button}`);
  }
  const live = `${operation} .live-responses-table`;
  await page.until(`document.querySelector('${live} .response-col_status') !== null`);
  t.match(await page.evaluate<string>(`document.querySelector('${live}').innerText`), /200/);
  t.same(page.problems, []);
});

t.test('keys that are set but blank refuse the start', async (t) => {
  for (const blank of ['', ' ', ' , ', ',,']) {
    t.throws(() => readConfig([], { API_KEYS: blank }), {
      message:
        'API_KEYS: expected a key, or several with commas between them; unset the variable to ask for none',
    });
  }
  t.equal(readConfig([], {}).apiKeys, '');
  t.throws(() => readKeys(configOf({ apiKeys: ' , ' })), { message: /^API_KEYS: there is no key in it/ });
  t.throws(() => readKeys(configOf({ apiKeys: 'good,two words' })), { message: /^API_KEYS: key 2 is not/ });
  const server = startProcess(t, ['--port', '0'], { env: { API_KEYS: ' , ' } });
  t.equal(await server.ended(), 2);
  t.match(server.stderr(), /^API_KEYS: expected a key/);
  t.notMatch(server.stderr(), /\n\s+at /);
});

t.test('API_KEYS_FILE has a key on each line', async (t) => {
  const folder = await temporaryFolder(t, {
    keys: 'first-key\n\n  second-key  \r\nthird-key,fourth-key\n',
    empty: '\n , \n',
    bad: 'first-key\nklüger\n',
  });
  const file = (name: string) => configOf({ apiKeysFile: join(folder, name) });
  t.same(readKeys(file('keys')), ['first-key', 'second-key', 'third-key', 'fourth-key']);
  t.throws(() => readKeys(file('none')), {
    message: /^API_KEYS_FILE .*none: the file cannot be read \(ENOENT\)$/,
  });
  t.throws(() => readKeys(file('empty')), { message: /^API_KEYS_FILE .*empty: there is no key in it/ });
  t.throws(() => readKeys(file('bad')), { message: /bad: key 2 is not made of ASCII/ });
  t.throws(() => readKeys({ ...file('keys'), apiKeys: 'x' }), { message: /are both set/ });
  const { get, send } = await startServer(t, { apiKeysFile: join(folder, 'keys') });
  t.equal((await get('/v1/plugins')).status, 401);
  for (const key of ['second-key', 'fourth-key']) {
    const answer = await send('/v1/plugins', { headers: { authorization: `Bearer ${key}` } });
    t.equal(answer.status, 200, key);
  }
  t.match((await get('/openapi.json')).json(), { security: [{ apiKey: [] }] });
  const server = startProcess(t, ['--port', '0', '--api-keys-file', join(folder, 'none')]);
  t.equal(await server.ended(), 2);
  t.match(server.stderr(), /^API_KEYS_FILE .*none: the file cannot be read/);
});

t.test('the start and --check say whether keys, CORS and a rate limit are on', async (t) => {
  t.match(describeAccess(configOf()), [/^Keys: none/, /^CORS: off$/, /^Rate limit: off$/]);
  const env = {
    API_KEYS: 'first-key,second-key',
    CORS_ORIGINS: 'https://app.example',
    RATE_LIMIT: '60',
    DATA_DIR: await temporaryFolder(t),
    WORKERS: '0',
  };
  const said = [
    'Keys: 2; requests must carry one, the documentation is open',
    'CORS: web pages of https://app.example may call the service',
    'Rate limit: 60 requests per minute and client',
  ];
  const server = startProcess(t, ['--host', '127.0.0.1', '--port', '0'], { env });
  const check = startProcess(t, ['--check'], { env });
  await server.listening();
  t.equal(await check.ended(), 0);
  for (const line of said) t.ok(check.stdout().includes(`${line}\n`), line);
  t.match(server.stdout(), /"keys":"on, 2","cors":"https:\/\/app\.example","rateLimit":"60 a minute"/);
  t.notMatch(server.stdout() + check.stdout(), /-key/);
});

t.test('probes, metrics and the documentation are not counted by --rate-limit', async (t) => {
  const client = await startServer(t, { rateLimit: 2 });
  const uncounted = ['/health', '/ready', '/metrics', ...PAGES];
  for (let round = 0; round < 3; round++) {
    t.same(await statusesOf(client, uncounted), all(200, uncounted));
  }
  t.same(await statusesOf(client, ['/v1/plugins', '/v1/plugins']), [200, 200]);
  t.equal((await client.get('/v1/plugins')).status, 429);
  t.same(await statusesOf(client, uncounted), all(200, uncounted), 'while others are refused');
});
