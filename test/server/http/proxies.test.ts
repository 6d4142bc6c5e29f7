import { type RequestOptions, request } from 'node:http';
import { text } from 'node:stream/consumers';
import Fastify from 'fastify';
import t from 'tap';
import { buildApp } from '../../../server/app.ts';
import { type Config, configOf } from '../../../server/config/config.ts';
import {
  clientOf,
  forwardedAddresses,
  nearestAddresses,
  trustOf,
} from '../../../server/http/transport/client-address.ts';
import { checkProblem } from '../../support/problems.ts';
import { startServer, withStandIns } from '../../support/server.ts';

/** Whom a limit counts behind proxies, wrong keys, and headers on which two servers may disagree. */

const PATH = '/v1/plugins';
const PLUGINS = ['token', 'character'];

/** An app that answers without a socket. */
async function open(given: Partial<Config>) {
  const app = await buildApp(
    configOf(withStandIns({ plugins: PLUGINS, workers: 0, store: 'memory', ...given })),
  );
  t.teardown(() => app.close());
  /** The status of a request from a peer. */
  return async (headers: Record<string, string>, remoteAddress = '127.0.0.1', url = PATH) =>
    (await app.inject({ url, headers, remoteAddress })).statusCode;
}

/** The clients of four requests: one, or each its own. */
const ONE = 1;
const EACH = 4;

const CASES: readonly [
  what: string,
  trustProxy: Config['trustProxy'],
  of: (n: number) => [forwarded: string, peer?: string],
  clients: number,
][] = [
  ['without trust the header counts for nothing', 0, (n) => [`6.6.6.${n}`], ONE],
  ['what stands left of the entry of the proxy is ignored', 1, (n) => [`6.6.6.${n}, 7.7.8.8`], ONE],
  ['a header sent twice is one', 1, (n) => [`6.6.6.${n},7.7.7.7,7.7.8.8`], ONE],
  ['clients of one proxy are told apart', 1, (n) => [`6.6.6.6, 7.7.8.${n}`], EACH],
  ['two proxies: the second from the right', 2, (n) => [`6.6.6.${n}, 7.7.8.8, 10.0.0.1`], ONE],
  ['two proxies: clients are told apart', 2, (n) => [`6.6.6.6, 7.7.8.${n}, 10.0.0.1`], EACH],
  ['fewer entries than proxies: the leftmost', 3, (n) => [`7.7.8.${n}, 10.0.0.1`], EACH],
  ['words name nobody', 1, (n) => [`no address ${n}`], ONE],
  ['numbers out of range name nobody', 1, (n) => [`256.1.1.${n}`], ONE],
  ['an unknown client of the second proxy', 2, (n) => [`unknown${n}, 10.0.0.1`], ONE],
  ['what an unknown client wrote', 3, (n) => [`6.6.6.${n}, unknown, 10.0.0.1`], ONE],
  ['an empty entry', 2, (n) => [`6.6.6.${n}, , 10.0.0.1`], ONE],
  ['ports do not make clients', 1, (n) => [`7.7.8.8:${1000 + n}`], ONE],
  ['ports of IPv6 do not make clients', 1, (n) => [`[2001:db8::1]:${1000 + n}`], ONE],
  ['clients with ports are told apart', 1, (n) => [`7.7.8.${n}:443`], EACH],
  ['an IPv6 network of 64 bits is one client', 1, (n) => [`2001:db8:0:1:${n}::1`], ONE],
  ['IPv6 networks are told apart', 1, (n) => [`2001:db8:0:${n}::1`], EACH],
  ['IPv4 within IPv6 is IPv4', 1, (n) => [n % 2 ? '7.7.8.8' : '::ffff:7.7.8.8'], ONE],
  ['IPv4 addresses within IPv6 are told apart', 1, (n) => [`::ffff:7.7.8.${n}`], EACH],
  ['a trusted peer', ['10.0.0.0/8'], (n) => [`6.6.6.6, 7.7.8.${n}`, '10.1.2.3'], EACH],
  [
    'what a client behind a trusted peer wrote',
    ['10.0.0.0/8'],
    (n) => [`6.6.6.${n}, 7.7.8.8`, '10.1.2.3'],
    ONE,
  ],
  ['a peer that is not trusted', ['10.0.0.0/8'], (n) => [`6.6.6.${n}`, '11.1.2.3'], ONE],
  ['trusted peers in a row', ['10.0.0.0/8', '::1'], (n) => [`7.7.8.${n}, 10.0.0.2:80`, '::1'], EACH],
  ['a trusted peer in IPv6 notation', ['10.0.0.1'], (n) => [`7.7.8.${n}`, '::ffff:10.0.0.1'], EACH],
  ['a named network', ['loopback'], (n) => [`7.7.8.${n}`, '127.0.0.9'], EACH],
  ['words behind a trusted peer', ['loopback'], (n) => [`word${n}`, '127.0.0.1'], ONE],
];

for (const [what, trustProxy, of, clients] of CASES) {
  t.test(`clients behind proxies: ${what}`, async (t) => {
    const app = Fastify({ trustProxy: trustOf({ trustProxy }) ?? false });
    if (trustProxy !== 0) await app.register(forwardedAddresses);
    app.get('/', async (request) => clientOf(request));
    const seen = new Set<string>();
    for (let at = 1; at <= 4; at++) {
      const [forwarded, remoteAddress = '127.0.0.1'] = of(at);
      const headers = { 'x-forwarded-for': forwarded };
      seen.add((await app.inject({ url: '/', headers, remoteAddress })).body);
    }
    t.equal(seen.size, clients, [...seen].join(' '));
    t.notMatch([...seen].join(), /6\.6\.6/, 'nobody chooses an address');
  });
}

t.test('the rate limit counts what trusted proxies say', async (t) => {
  for (const [trustProxy, of, expected] of [
    [1, (at) => `6.6.6.${at}, 7.7.8.8`, [200, 200, 429]],
    [1, (at) => `7.7.8.${at}`, [200, 200, 200]],
    [1, (at) => `no address ${at}`, [200, 200, 429]],
    [0, (at) => `7.7.8.${at}`, [200, 200, 429]],
  ] satisfies [number, (at: number) => string, number[]][]) {
    const ask = await open({ rateLimit: 2, trustProxy });
    const statuses: number[] = [];
    for (let at = 0; at < 3; at++) statuses.push(await ask({ 'x-forwarded-for': of(at) }));
    t.same(statuses, expected, of(0));
  }
});

t.test('the entries of X-Forwarded-For that are believed', (t) => {
  for (const [given, expected] of [
    ['', ''],
    ['a', ''],
    ['1.2.3.4', '1.2.3.4'],
    [' 1.2.3.4 ,\t5.6.7.8:90 ', '1.2.3.4, 5.6.7.8'],
    ['1.2.3.4, x, 5.6.7.8', '5.6.7.8'],
    ['1.2.3.4, 5.6.7.8,', ''],
    ['[::1], ::1, [::1]:8080', '::1, ::1, ::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['1.2.3.4:', ''],
    ['1.2.3.4:x', ''],
    ['01.2.3.4', ''],
    ['1.2.3', ''],
    ['0x7f.0.0.1', ''],
    ['::1:8080:x', ''],
    ['for=1.2.3.4', ''],
    ['"1.2.3.4"', ''],
  ] as const) {
    t.equal(nearestAddresses(given), expected, given);
  }
  const long = nearestAddresses(`${'x,'.repeat(8000)}1.2.3.4`);
  t.equal(long, '1.2.3.4');
  t.end();
});

t.test('who counts as one client', (t) => {
  for (const [ip, expected] of [
    ['1.2.3.4', '1.2.3.4'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['2001:DB8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:ffff::', '2001:db8:0:0::/64'],
    ['', ''],
    ['word', ''],
  ] as const) {
    t.equal(clientOf({ ip }), expected, ip);
  }
  t.equal(clientOf({ ip: undefined as unknown as string }), '', 'a connection that is gone');
  t.end();
});

const key = (value: string) => ({ authorization: `Bearer ${value}` });

t.test('wrong keys have a limit of their own, for each address', async (t) => {
  const ask = await open({ apiKeys: 'right', rateLimit: 100, failedKeyLimit: 3 });
  for (let at = 0; at < 3; at++) t.equal(await ask(key(`guess${at}`)), 401);
  t.equal(await ask(key('guess')), 429);
  t.equal(await ask(key('right')), 429, 'or guesses could go on');
  t.equal(await ask({}, '127.0.0.1', '/health'), 200);
  t.equal(await ask({}, '127.0.0.1', '/docs/json'), 200, 'which needs no key');
  t.equal(await ask(key('right'), '127.0.0.2'), 200, 'from another address');
  t.equal(await ask(key('guess'), '127.0.0.2'), 401);
});

t.test('wrong keys are limited like requests by default, and do not count as these', async (t) => {
  const ask = await open({ apiKeys: 'right', rateLimit: 2 });
  for (const expected of [401, 401, 429]) t.equal(await ask(key('guess')), expected);
  for (const expected of [200, 200, 429]) t.equal(await ask(key('right'), '127.0.0.2'), expected);
  const unlimited = await open({ apiKeys: 'right' });
  for (let at = 0; at < 20; at++) t.equal(await unlimited(key('guess')), 401);
});

t.test('paths that no rate limit counts do not help to guess', async (t) => {
  const ask = await open({ apiKeys: 'right', failedKeyLimit: 2 });
  for (const expected of [401, 401, 429]) t.equal(await ask(key('guess'), '127.0.0.1', '/metrics'), expected);
  const pages = await open({ apiKeys: 'right', failedKeyLimit: 2, docsNeedKey: true });
  for (const expected of [401, 401, 429]) t.equal(await pages(key('guess'), '127.0.0.1', '/docs'), expected);
});

t.test('a request without a key is no guess', async (t) => {
  const ask = await open({ apiKeys: 'right', failedKeyLimit: 2 });
  for (let at = 0; at < 5; at++) t.equal(await ask({}), 401);
  t.equal(await ask(key('right')), 200);
});

t.test('the address of a guess is told by trusted proxies alone', async (t) => {
  const ask = await open({ apiKeys: 'right', failedKeyLimit: 1, trustProxy: 1 });
  const from = (forwarded: string, value: string) => ask({ ...key(value), 'x-forwarded-for': forwarded });
  t.equal(await from('7.7.7.7', 'guess'), 401);
  t.equal(await from('1.1.1.1, 7.7.7.7', 'guess'), 429);
  t.equal(await from('7.7.7.8', 'right'), 200);
});

t.test('429 says how long wrong keys are refused', async (t) => {
  const client = await startServer(t, { plugins: PLUGINS, apiKeys: 'right', failedKeyLimit: 1 });
  const guess = () => client.send(PATH, { headers: key('guess') });
  t.equal((await guess()).status, 401);
  const answer = await guess();
  checkProblem(t, answer, 429, /sent 1 wrong keys within a minute: try again in \d+ s.*--failed-key-limit/);
  const seconds = Number(answer.headers.get('retry-after'));
  t.ok(seconds > 0 && seconds <= 60, `${seconds}`);
  const { paths } = (await client.get('/openapi.json')).json<{
    paths: Record<string, { get?: { responses: object } }>;
  }>();
  t.ok('429' in (paths[PATH]?.get?.responses ?? {}));
});

const server = await startServer(t, { plugins: PLUGINS });

/** The status, the body and the connection of a request with these headers, as they are. */
function raw(
  headers: readonly (readonly [string, string])[],
  body = '',
): Promise<{ status: number; body: string; connection: string }> {
  const { port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const sent = request({
      port,
      path: '/v1/chunk/token',
      method: 'POST',
      setHost: false,
      headers: [...headers, ['content-type', 'application/json']].flat(),
    } as unknown as RequestOptions);
    sent.on('error', reject).on('response', async (answer) =>
      resolve({
        status: answer.statusCode ?? 0,
        connection: String(answer.headers.connection),
        body: await text(answer),
      }),
    );
    sent.end(body);
  });
}
const BODY = '{"text": "a"}';
const LENGTH = ['content-length', String(BODY.length)] as const;

t.test('a request has one host', async (t) => {
  for (const hosts of [['a', 'b'], ['a', 'a'], ['a', ''], ['a b'], ['a/b'], ['user@a'], ['a?b']]) {
    const answer = await raw([...hosts.map((host) => ['hOsT', host] as const), LENGTH], BODY);
    t.match(answer, { status: 400, body: /Host: expected/, connection: 'close' }, hosts.join());
  }
  for (const host of ['a', 'a.example:8000', '[::1]:80', '', 'xn--bcher-kva.example', 'a_b']) {
    t.equal((await raw([['host', host], LENGTH], BODY)).status, 200, host);
  }
});

t.test('a transfer coding other than chunked is 501', async (t) => {
  for (const [coding, expected] of [
    ['chunked', 200],
    ['Chunked', 200],
    ['gzip, chunked', 501],
    ['identity, chunked', 501],
    ['x,chunked', 501],
    ['chunked, chunked', 400],
  ] as const) {
    const { status, connection, body } = await raw(
      [
        ['host', 'a'],
        ['transfer-encoding', coding],
      ],
      BODY,
    );
    t.equal(status, expected, coding);
    if (expected === 501)
      t.match(
        { connection, body },
        { connection: 'close', body: /Transfer-Encoding .*is not supported: use chunked/ },
      );
  }
});
