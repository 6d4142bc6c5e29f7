import { join } from 'node:path';
import Fastify from 'fastify';
import t from 'tap';
import chunksmith, { configOf, readConfig } from '../../../server/app.ts';
import { check } from '../../../server/cli/check.ts';
import { describeAccess, readKeys } from '../../../server/config/access.ts';
import { type Config, ConfigError } from '../../../server/config/config.ts';
import type { OpenApi } from '../../support/openapi.ts';
import { checkProblem } from '../../support/problems.ts';
import { type Client, startServer, temporaryFolder, withStandIns } from '../../support/server.ts';

/** Who may call the service, and how often: keys, web pages of other origins, and the rate limit. */

const plugins = ['token', 'character'];
const PATH = '/v1/chunk/token';
const ORIGIN = 'https://app.example';
const KEY = { authorization: 'Bearer first-key' };
const PAGES = '/docs /docs/ /docs/json /redoc /redoc/redoc.js /redoc/start.js /openapi.json'.split(' ');

const start = (config: Partial<Config>) => startServer(t, { plugins, ...config });
const open = await start({ apiKeys: 'first-key, second-key' });
const limited = await start({ corsOrigins: [ORIGIN], apiKeys: 'first-key', docsNeedKey: true });
const keyless = await start({ docsNeedKey: true });

async function statusesOf({ send }: Client, paths: readonly string[], headers = {}): Promise<number[]> {
  const answers = await Promise.all(paths.map((path) => send(path, { headers })));
  return answers.map(({ status }) => status);
}

const all = (status: number, paths: readonly string[]) => paths.map(() => status);

t.test('requests must carry one of the keys', async (t) => {
  const { get, post } = open;
  for (const path of ['/health', '/ready']) t.equal((await get(path)).status, 200, path);
  for (const path of ['/', '/metrics', '/v1/plugins', '/v1/pipelines', '/nothing', '/docsx']) {
    const answer = await get(path);
    checkProblem(t, answer, 401, /Authorization: Bearer/);
    t.equal(answer.headers.get('www-authenticate'), 'Bearer', path);
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
    const answer = await post(PATH, { text: 'a' }, { authorization: header });
    t.equal(answer.status, status, header);
    t.notMatch(answer.bytes.toString(), /-key/);
  }
});

t.test('the documentation opens without a key, and with --docs-need-key only with one', async (t) => {
  t.same(await statusesOf(open, PAGES), all(200, PAGES));
  t.same(await statusesOf(limited, PAGES), all(401, PAGES));
  t.same(await statusesOf(limited, PAGES, KEY), all(200, PAGES));
  t.same(await statusesOf(keyless, PAGES), all(200, PAGES), 'where no keys are set, none is asked for');
});

t.test('the documentation opens without a key below a prefix', async (t) => {
  const host = Fastify({ forceCloseConnections: true });
  t.teardown(() => host.close());
  const config = withStandIns({ workers: 0, apiKeys: 'first-key', plugins });
  await host.register(chunksmith, { prefix: '/below', config });
  const url = await host.listen({ host: '127.0.0.1', port: 0 });
  const statusOf = async (path: string) => (await fetch(`${url}/below${path}`)).status;
  for (const path of [...PAGES, '/health', '/ready']) t.equal(await statusOf(path), 200, path);
  for (const path of ['/', '/v1/plugins', '/metrics']) t.equal(await statusOf(path), 401, path);
});

t.test('the OpenAPI document says how keys are sent and for which routes, or that none is', async (t) => {
  type Document = OpenApi & { security: object; components: object };
  const document = (await open.get('/openapi.json')).json<Document>();
  t.match(document.components, { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } });
  t.same(document.security, [{ apiKey: [] }]);
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const operation of Object.values(operations)) {
      const isOpen = ['/health', '/ready'].includes(path);
      t.same((operation as { security?: object }).security, isOpen ? [] : undefined, path);
    }
  }
  const { security, components } = (await keyless.get('/openapi.json')).json<Document>();
  t.same(security, []);
  t.notOk('securitySchemes' in components);
});

t.test('keys that are set but blank refuse the start', (t) => {
  const expected = 'a key, or several separated by commas; unset the variable to require none';
  for (const API_KEYS of ['', ' ', ' , ', ',,'])
    t.throws(() => readConfig({}, { API_KEYS }), new ConfigError(`API_KEYS: expected ${expected}`));
  t.equal(readConfig({}, {}).apiKeys, '');
  t.throws(() => readKeys(configOf({ apiKeys: ' , ' })), { message: /^API_KEYS: it contains no key/ });
  t.throws(() => readKeys(configOf({ apiKeys: 'good,two words' })), { message: /^API_KEYS: key 2 must/ });
  t.end();
});

t.test('API_KEYS_FILE has a key on each line', async (t) => {
  const folder = await temporaryFolder(t, {
    keys: 'first-key\n\n  second-key  \r\nthird-key,fourth-key\n',
    empty: '\n , \n',
    bad: 'first-key\nklüger\n',
  });
  const file = (name: string) => configOf({ apiKeysFile: join(folder, name) });
  t.same(readKeys(file('keys')), ['first-key', 'second-key', 'third-key', 'fourth-key']);
  const none = /^--api-keys-file .*none: the file cannot be read \(ENOENT\)$/;
  const missing = t.throws(() => readKeys(file('none')), { message: none });
  t.ok(missing instanceof ConfigError, 'which ends the start in plain words');
  t.throws(() => readKeys(file('empty')), { message: /^--api-keys-file .*empty: it contains no key/ });
  t.throws(() => readKeys(file('bad')), { message: /bad: key 2 must consist of ASCII/ });
  t.throws(() => readKeys({ ...file('keys'), apiKeys: 'x' }), { message: /are both set/ });
  const { get, send } = await start({ apiKeysFile: join(folder, 'keys') });
  t.equal((await get('/v1/plugins')).status, 401);
  const headers = { authorization: 'Bearer fourth-key' };
  t.equal((await send('/v1/plugins', { headers })).status, 200);
  t.match((await get('/openapi.json')).json(), { security: [{ apiKey: [] }] });
});

t.test('the start and --check say whether keys, CORS and a rate limit are on', async (t) => {
  t.match(describeAccess(configOf()), [
    /^Keys: none/,
    /^CORS: off$/,
    /^Rate limit: off$/,
    /^Address of a client: /,
  ]);
  const access = { apiKeys: 'first-key,second-key', corsOrigins: [ORIGIN], rateLimit: 60 };
  const server = { host: '127.0.0.1', port: 0, dataDir: await temporaryFolder(t), workers: 0, plugins };
  const config = configOf(withStandIns({ ...access, ...server }));
  const said = [
    'Keys: 2; requests must carry one, the documentation is open',
    'CORS: web pages of https://app.example may call the service',
    'Rate limit: 60 requests per minute and address, in each server',
    'Wrong keys: at most 60 per minute and address',
    'Address of a client: that of its connection',
  ];
  t.same(describeAccess(config), said);
  const printed = t.capture(console, 'log');
  t.equal(await check(config, []), 0);
  const lines = printed().map(({ args: [line] }) => String(line));
  for (const line of said) t.ok(lines.includes(line), line);
  t.notMatch(lines.join('\n'), /(first|second)-key/);
});

t.test('web pages of other origins are let in only where they are named', async (t) => {
  const askFor = async ({ send }: Client, origin: string) => {
    const asked = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    };
    const { status, headers } = await send(PATH, { method: 'OPTIONS', headers: { origin, ...asked } });
    return { status, origin: headers.get('access-control-allow-origin') };
  };
  t.same(await askFor(keyless, ORIGIN), { status: 405, origin: null }, 'none by default');
  t.same(await askFor(limited, ORIGIN), { status: 204, origin: ORIGIN }, 'a browser asks without the key');
  t.not((await askFor(limited, 'https://other.example')).origin, 'https://other.example');
  const { headers } = await limited.post(PATH, { text: 'a' }, { origin: ORIGIN, ...KEY });
  t.equal(headers.get('access-control-allow-origin'), ORIGIN);
  t.match(headers.get('access-control-expose-headers'), /etag/);
});

t.test('more requests than --rate-limit are 429; probes, metrics and pages are not counted', async (t) => {
  const client = await start({ rateLimit: 2 });
  const uncounted = ['/health', '/ready', '/metrics', ...PAGES];
  for (let round = 0; round < 3; round++) t.same(await statusesOf(client, uncounted), all(200, uncounted));
  t.same(await statusesOf(client, ['/v1/plugins', '/v1/plugins']), [200, 200]);
  const answer = await client.post(PATH, { text: 'a' });
  checkProblem(t, answer, 429, /More than 2 requests per minute/);
  t.ok(Number(answer.headers.get('retry-after')) > 0);
  t.same(await statusesOf(client, uncounted), all(200, uncounted), 'while others are refused');
});
