import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { readingTime } from '../../../../../server/engine/run/guarded-readers.ts';
import { postForm } from '../../../../support/files.ts';
import { plugin, pluginsFolder } from '../../../../support/plugins.ts';
import { startServer, temporaryFolder } from '../../../../support/server.ts';
import { until } from '../../../../support/until.ts';

/** Readers whose manifest says `guarded`, over HTTP: each does what the file says, and answers with its thread. */

const beats = join(await temporaryFolder(t), 'beats');
const READER = `import { refusedError } from 'chunksmith/kit';
import { appendFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
const kept = [];
const nested = (depth) => depth === 0 ? '' : nested(depth - 1) + '.';
const does = {
  reads: () => ({ text: 'thread ' + threadId, metadata: { pages: 3 } }),
  grows: () => { for (;;) kept.push({ one: kept.length }); },
  buffers: () => { for (;;) kept.push(new Uint8Array(4_000_000).fill(1)); },
  hoards: () => { kept.push(new Uint8Array(100_000_000).fill(1)); return { text: 'thread ' + threadId }; },
  runs: () => { for (;;); },
  beats: () => { for (;;) appendFileSync(${JSON.stringify(beats)}, '.'); },
  waits: () => new Promise(() => {}),
  nests: () => ({ text: nested(1e6) }),
  repeats: () => ({ text: 'x'.repeat(2 ** 31) }),
  ends: () => process.exit(7),
  later: () => { setTimeout(() => { throw new Error('a secret path'); }); return new Promise(() => {}); },
  refuses: () => { throw refusedError('The file cannot be read: it is torn.'); },
  wraps: () => { throw refusedError('The file cannot be read: its parser failed.', new Error('why')); },
};
export default (given) => ({ read({ bytes }, { report }) {
  report('seen', String(bytes.length));
  return does[Buffer.from(bytes).toString()](given);
} });`;
const manifest = {
  kind: 'reader',
  name: 'obedient',
  formats: { extensions: ['.do'] },
  reports: { seen: 'Bytes of the file.' },
  guarded: true,
};

const pluginsDir = [await pluginsFolder(t, plugin(manifest, READER))];
const config = { pluginsDir, workers: 1, requestTimeout: 30 };
const short = { ...config, requestTimeout: 3 };
const client = await startServer(t, config);
const hasty = await startServer(t, short);
const ask = (what: string, server = client) =>
  postForm(server, '/v1/chunk/token/file', { bytes: what, name: 'a.do' });
const threadOf = async (server = client) => (await ask('reads', server)).json<{ text: string }[]>()[0]?.text;

t.test('a file is read in a thread of its own, which is kept', async (t) => {
  const { status, headers, json } = await ask('reads');
  t.equal(status, 200);
  t.equal(headers.get('x-seen'), '5');
  const [chunk] = json<{ text: string }[]>();
  t.match(chunk?.text, /^thread \d+$/);
  t.equal(await threadOf(), chunk?.text);
});

/** Those who keep their thread are in the test of the same name above this folder. */
for (const [what, expected, detail] of [
  ['grows', 400, /The file cannot be read: it takes more memory than a file may\./],
  ['buffers', 400, /The file cannot be read: it takes more memory than a file may\./],
  ['repeats', 400, /The file cannot be read: it takes more memory than a file may\./],
  ['nests', 400, /The file cannot be read: its parts are nested too deeply\./],
  ['ends', 500, /The reader \\"obedient\\" failed: it ended its thread with status 7\./],
  ['runs', 503, /longer than 3 s/],
  ['waits', 503, /longer than 3 s/],
  ['later', 500, /The reader \\"obedient\\" failed/],
] as const) {
  t.test(`a reader that does not read leaves the service whole: it ${what}`, async (t) => {
    const server = expected === 503 ? hasty : client;
    const before = await threadOf(server);
    const answer = ask(what, server);
    await sleep(100);
    t.equal((await server.get('/health')).status, 200, 'meanwhile');
    const { status, bytes } = await answer;
    const text = String(bytes);
    t.equal(status, expected, text);
    t.match(text, detail);
    t.notMatch(text, /secret/);
    t.not(await threadOf(server), before, 'the next file has a new thread');
    t.ok(process.memoryUsage.rss() < 2_000_000_000);
  });
}

for (const [what, detail] of [
  ['refuses', /The file cannot be read: it is torn\./],
  ['wraps', /The file cannot be read: its parser failed\./],
] as const) {
  t.test(`a thread that refuses a file is kept: it ${what}`, async (t) => {
    const before = await threadOf();
    const { status, bytes } = await ask(what);
    t.equal(status, 400);
    t.match(String(bytes), detail);
    t.equal(await threadOf(), before);
  });
}

t.test('a thread is ended with the request, and does not outlive its caller', async (t) => {
  const stop = new AbortController();
  const gone = client.send('/v1/chunk/token/file?filename=a.do', {
    method: 'POST',
    body: 'beats',
    headers: { 'content-type': 'application/octet-stream' },
    signal: stop.signal,
  });
  const size = () => statSync(beats, { throwIfNoEntry: false })?.size ?? 0;
  await until(() => size() > 0);
  stop.abort();
  await t.rejects(gone);
  await until(async () => {
    const before = size();
    await sleep(200);
    return size() === before;
  }, 20_000);
  t.equal((await ask('reads')).status, 200);
});

t.test('a thread is replaced after 100 files', async (t) => {
  const first = await threadOf();
  let files = 1;
  while ((await threadOf()) === first) files++;
  t.ok(files <= 100, `${files}`);
});

t.test('what earlier files have left in a thread refuses no file: it is read in a new one', async (t) => {
  const threads = new Set<string | undefined>();
  for (let count = 0; count < 6; count++) {
    const { status, json } = await ask('hoards');
    t.equal(status, 200);
    threads.add(json<{ text: string }[]>()[0]?.text);
  }
  t.ok(threads.size > 1, [...threads].join());
});

t.test('files are read side by side if the service has several threads', async (t) => {
  const both = await startServer(t, { ...config, workers: 2, requestTimeout: 10 });
  const stuck = ask('waits', both);
  t.match(await threadOf(both), /^thread/);
  t.equal((await stuck).status, 503);
});

t.test('how long a file may be read depends on its size', (t) => {
  const limits = { requestTimeout: 300, readerSeconds: 30, readerSecondsPerMb: 20 };
  for (const [bytes, seconds] of [
    [0, 30],
    [6000, 30.12],
    [1e6, 50],
    [5e6, 130],
    [1e9, 301],
  ] as const) {
    t.equal(readingTime(bytes, limits), seconds, `${bytes}`);
  }
  t.end();
});

t.test('a small file that takes long is refused, with the limit and what raises it', async (t) => {
  const strict = await startServer(t, { ...config, readerSeconds: 1, readerSecondsPerMb: 0 });
  const { status, bytes } = await ask('runs', strict);
  t.equal(status, 400);
  const remedy =
    /cannot be read: it takes longer than 1 s, .* raise it with --reader-seconds or --reader-seconds-per-mb\./;
  t.match(String(bytes), remedy);
});

for (const workers of [0, 1, 2]) {
  t.test(`files of one client do not hold up others, with ${workers} workers`, async (t) => {
    const logTo = join(await temporaryFolder(t), 'log');
    const keys = { apiKeys: 'one,two', workers, requestTimeout: 60, logLevel: 'error', logTo };
    const server = await startServer(t, { ...config, ...keys });
    const post = (key: string, body: string, signal?: AbortSignal) =>
      server.send('/v1/chunk/token/file?filename=a.do', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/octet-stream', authorization: `Bearer ${key}` },
        ...(signal && { signal }),
      });
    const stop = new AbortController();
    const held = Array.from({ length: 6 }, () => post('one', 'waits', stop.signal).catch(() => {}));
    await sleep(100);
    for (let at = 0; at < 3; at++) {
      const { status, bytes } = await post('two', 'reads');
      t.equal(status, 200, 'while the other waits');
      // Only the log tells why a request fails.
      if (status !== 200) t.comment(`${bytes}\n${readFileSync(logTo)}`);
    }
    stop.abort();
    await Promise.all(held);
  });
}

t.test('without worker threads, the event loop stays free', async (t) => {
  const alone = await startServer(t, { ...config, workers: 0, requestTimeout: 10 });
  const stuck = ask('runs', alone);
  await sleep(100);
  t.equal((await alone.get('/health')).status, 200);
  t.match(await threadOf(alone), /^thread/);
  t.equal((await stuck).status, 503);
});
