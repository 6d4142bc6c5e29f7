import { execFile, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { ServiceError } from '../../../../core/errors.ts';
import {
  type Callback,
  callBack,
  checkCallbackUrl,
  isPublic,
} from '../../../../server/corpora/jobs/callback.ts';
import { page, programOf } from '../../../pages/programs.ts';
import { temporaryFolder } from '../../../support/server.ts';
import { startReceiver } from './callback-receiver.ts';

const SECRET = 'a secret of the operator';
const callback = (fields: Partial<Callback> = {}): Callback => ({
  event: 'job.done',
  id: 'job-1.done',
  secret: SECRET,
  allowPrivate: true,
  signal: new AbortController().signal,
  ...fields,
});

/** How a callback ends. */
const outcomeOf = (...given: Parameters<typeof callBack>) =>
  callBack(...given).then(
    () => ({ state: 'delivered' }),
    (error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      return { state: error.code.replace('callback_', ''), reason: error.values.reason };
    },
  );

/** Tools with a name server of the test's own, which gives one answer after another. */
function resolving(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const resolve = async (host: string): Promise<LookupAddress[]> => {
    const addresses = answers[Math.min(asked.push(host), answers.length) - 1] ?? [];
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { asked, resolve, timeout: 5000 };
}

t.test('the documented receivers tell genuine callbacks from others', async (t) => {
  const { url, at } = await startReceiver(t);
  await callBack(url, { state: 'fertig ✓' }, callback());
  const { body, headers } = at(0);
  const signature = String(headers['x-chunksmith-signature']);
  const oldHash = createHmac('sha256', SECRET).update('1000000000.').update(body).digest('hex');
  const cases = [
    [body, signature, SECRET, true],
    [Buffer.from(`${body} `), signature, SECRET, false],
    [body, signature, 'another secret', false],
    [body, signature.replace(/\d(?=,)/, (digit) => String((Number(digit) + 1) % 10)), SECRET, false],
    [body, `t=1000000000,v1=${oldHash}`, SECRET, false],
    [body, '', SECRET, false],
    [body, 't=1,v1=ab', SECRET, false],
  ] as const;
  const guide = page('server/CORPORA.md');
  const python = `${programOf(guide, 'python', 'is_genuine')}
import json, sys
for body, signature, secret in json.load(open("cases.json")):
    print(json.dumps(is_genuine(bytes.fromhex(body), signature, secret)))
`;
  const given = JSON.stringify(cases.map(([body, ...more]) => [body.toString('hex'), ...more.slice(0, 2)]));
  const files = {
    'receiver.mjs': programOf(guide, 'js', 'isGenuine'),
    'receiver.py': python,
    'cases.json': given,
  };
  const cwd = await temporaryFolder(t, files);
  const { isGenuine } = await import(join(cwd, 'receiver.mjs'));
  for (const [body, signature, secret, expected] of cases) {
    t.equal(isGenuine(body, signature, secret), expected, signature);
  }
  if (spawnSync('python3', ['--version']).status !== 0) return;
  const { stdout } = await promisify(execFile)('python3', ['receiver.py'], { cwd });
  t.equal(stdout, cases.map(([, , , expected]) => `${expected}\n`).join(''));
});

/** Addresses that nobody on the internet has, by why, as they may be written in a URL. */
const NOT_PUBLIC = {
  'this machine': '127.0.0.1 127.1 2130706433 0x7f000001 0177.0.0.1 0.0.0.0 [::1] [::]',
  'a private network': '10.1.2.3 172.16.0.1 192.168.1.1 100.64.0.1 [fc00::1] [fd12::1] [fec0::1]',
  'the same link': '169.254.169.254 [fe80::1]',
  'many machines': '224.0.0.1 255.255.255.255 [ff02::1]',
  'reserved for others': '198.18.0.1 192.0.2.1 240.0.0.1 [2001:db8::1] [2001::1] [100::1]',
  'IPv4 within IPv6':
    '[::ffff:127.0.0.1] [::ffff:10.0.0.1] [::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::]',
};

t.test('addresses that are not public are refused, however they are written', async (t) => {
  const { port, received } = await startReceiver(t);
  for (const host of Object.values(NOT_PUBLIC).join(' ').split(' ')) {
    const url = `http://${host}:${port}/`;
    t.match(checkCallbackUrl(url, false), /is not a public address.*--bulk-callback-private/, host);
    t.match(await outcomeOf(url, {}, callback({ allowPrivate: false })), { state: 'refused' }, host);
    t.equal(checkCallbackUrl(url, true), undefined);
  }
  for (const address of ['1.1.1.1', '8.8.8.8', '2606:4700::1111', '::ffff:1.1.1.1', '64:ff9b::808:808'])
    t.ok(isPublic(address), address);
  t.same(received, []);
});

t.test('a URL that cannot be called is refused', async (t) => {
  const long = `http://a.example/${'a'.repeat(2048)}`;
  for (const url of ['', 'no url', 'ftp://a.example/', 'file:///etc/passwd', 'javascript:1', long])
    t.match(checkCallbackUrl(url, false), /expected a URL of at most 2048 characters/, url.slice(0, 40));
  t.match(checkCallbackUrl('https://user:password@a.example/', false), /without a user and password$/);
  t.match(await outcomeOf('ftp://a.example/', {}, callback()), { state: 'refused' });
  t.equal(checkCallbackUrl('https://app.example/done?a=b', false), undefined);
});

t.test('a name that leads to an address that is not public is refused', async (t) => {
  const { port, received } = await startReceiver(t);
  const refused = { state: 'refused', reason: /is not a public address/ };
  const strict = callback({ allowPrivate: false });
  t.match(await outcomeOf(`http://localhost:${port}/`, {}, strict), refused, 'as the system looks it up');
  for (const addresses of ['127.0.0.1', '2000::1 127.0.0.1', '1.1.1.1 ::ffff:127.0.0.1', 'fe80::1%1']) {
    const tools = resolving(addresses.split(' '));
    t.match(await outcomeOf(`http://app.example:${port}/`, {}, strict, tools), refused, addresses);
  }
  t.same(received, []);
});

t.test('the connection is made to the address that was checked', async (t) => {
  const { port, received } = await startReceiver(t);
  const url = `http://app.example:${port}/`;
  const once = resolving(['127.0.0.1'], ['192.0.2.1']);
  t.match(await outcomeOf(url, {}, callback(), once), { state: 'delivered' });
  t.equal(received[0]?.headers.host, `app.example:${port}`);
  t.same(once.asked, ['app.example'], 'looked up once');
  // Nobody has this address; the second answer leads to the receiver.
  const rebound = { ...resolving(['2000::1'], ['127.0.0.1']), timeout: 300 };
  t.match(await outcomeOf(url, {}, callback({ allowPrivate: false }), rebound), { state: 'failed' });
  t.same(rebound.asked, ['app.example']);
  t.equal(received.length, 1);
});

t.test('a receiver says whether another try makes sense', async (t) => {
  let [status, headers] = [200, {}];
  const { url, received } = await startReceiver(t, (_, response) => {
    response.writeHead(status, headers).end();
  });
  const answers = { delivered: [200, 202], refused: [400, 404, 410], failed: [408, 429, 500, 503] };
  for (const [state, statuses] of Object.entries(answers)) {
    for (status of statuses) t.match(await outcomeOf(url, {}, callback()), { state }, String(status));
  }
  [status, headers] = [307, { location: '/other' }];
  t.match(await outcomeOf(url, {}, callback()), { state: 'failed', reason: /307, and redirects are not/ });
  const isFollowed = received.some(({ path }) => path === '/other');
  t.notOk(isFollowed, 'a redirection is not followed');
});

t.test('a receiver that does not answer, or is not there, may be called again', async (t) => {
  const { url } = await startReceiver(t, () => undefined);
  const tools = { ...resolving(), timeout: 50 };
  const away = Object.assign(new Error('no'), { code: 'ENOTFOUND' });
  const never = new Promise<never>(() => undefined);
  for (const [called, how, reason] of [
    [url, tools, /no answer within 0.05 s/],
    ['http://127.0.0.1:1/', undefined, /ECONNREFUSED/],
    ['http://a.example/', { ...tools, resolve: () => Promise.reject(away) }, /ENOTFOUND/],
    ['http://a.example/', { ...tools, resolve: () => never }, /no answer within/],
  ] as const) {
    t.match(await outcomeOf(called, {}, callback(), how), { state: 'failed', reason });
  }
});

t.test('an answer that does not end is cut short, and counts by its status', async (t) => {
  const gone = Promise.withResolvers<void>();
  let sent = 0;
  const endless = (response: ServerResponse): void => {
    if (response.destroyed) return;
    sent += 16_384;
    response.write(Buffer.alloc(16_384), () => setImmediate(endless, response));
  };
  const { url } = await startReceiver(t, (_request, response) => {
    response.on('close', gone.resolve);
    endless(response.writeHead(200));
  });
  t.match(await outcomeOf(url, {}, callback()), { state: 'delivered' });
  await gone.promise;
  t.ok(sent < 20_000_000, `${sent} bytes`);
  const slow = await startReceiver(t, (_request, response) => void response.writeHead(200).write('a'));
  const tools = { ...resolving(), timeout: 1000 };
  const stopped = await outcomeOf(slow.url, {}, callback(), tools);
  t.match(stopped, { state: 'delivered' }, 'one that stops in the middle');
});

t.test('a callback that is not wanted any more ends with the reason', async (t) => {
  const { url } = await startReceiver(t, () => stop.abort(new Error('shutting down')));
  const stop = new AbortController();
  for (const _ of ['while it is made', 'before'])
    await t.rejects(callBack(url, {}, callback({ signal: stop.signal })), /shutting down/);
});
