import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, utimes } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { createModelFiles } from '../../../server/hub/model-files.ts';
import type { HubSettings } from '../../../server/hub/settings.ts';
import { quietLog as log } from '../../../server/testing/collaborators.ts';
import {
  type Answer,
  BIG,
  CONTENT,
  ETAG,
  HALF,
  refuse,
  serve,
  sizeOf,
  startHub,
  trickle,
  until,
  WHOLE,
} from '../../support/model-hub.ts';

/** Looks for the file in its own thread or process, and prints what is logged meanwhile. */
const FINDER = `
  const print = (details) => console.log(JSON.stringify(details));
  process.once('SIGTERM', () => setTimeout(() => process.exit(7), 200));
  import(process.env.MODULE).then(({ createModelFiles }) => {
    const log = { info: print, warn: print };
    const settings = JSON.parse(process.env.SETTINGS);
    return createModelFiles({ settings, log, timeout: 1500 }).find('owner/name', JSON.parse(process.env.FILE));
  });
`;

const environment = (settings: HubSettings) => ({
  ...process.env,
  MODULE: new URL('../../../server/hub/model-files.ts', import.meta.url).href,
  SETTINGS: JSON.stringify(settings),
  FILE: JSON.stringify(BIG),
});

function startProcess(t: Test, settings: HubSettings): ChildProcess {
  // Without NODE_OPTIONS, because what tap preloads listens for signals itself.
  const child = spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, '-e', FINDER], {
    env: environment(settings),
  });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

const startThread = (settings: HubSettings) =>
  new Worker(FINDER, { eval: true, env: environment(settings), stdout: true });

/** Sends the first half at once, and the rest after `release`. */
function holdBack() {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const answer: Answer = async (_request, response) => {
    response
      .writeHead(200, { 'content-length': CONTENT.length, etag: ETAG })
      .write(CONTENT.subarray(0, HALF));
    await promise;
    response.end(CONTENT.subarray(HALF));
  };
  return { answer, release };
}

t.test('threads and processes that ask at once make one request in all', async (t) => {
  const hub = await startHub(t, [trickle(350)]);
  const threads = [startThread(hub.settings), startThread(hub.settings)];
  const processes = [startProcess(t, hub.settings), startProcess(t, hub.settings)];
  const codes = await Promise.all([...threads, ...processes].map((one) => once(one, 'exit')));
  t.same(
    codes.map(([code]) => code),
    [0, 0, 0, 0],
    'all find it, and waiting for the lock does not count as silence of the hub',
  );
  t.equal(hub.asked.length, 1);
  t.ok(CONTENT.equals(await readFile(hub.target)));
  t.same(await hub.left(), WHOLE, 'no lock is left');
});

t.test('the next resumes the download of one that was killed', async (t) => {
  const hub = await startHub(t, [holdBack().answer, serve()]);
  const child = startProcess(t, hub.settings);
  await until(async () => (await sizeOf(`${hub.target}.part`)) === HALF);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = `${hub.target}.lock`;
  t.ok(existsSync(lock));
  const eightSecondsAgo = Date.now() / 1000 - 8;
  await utimes(lock, eightSecondsAgo, eightSecondsAgo);
  t.equal(await hub.find(), hub.target);
  t.ok(CONTENT.equals(await readFile(hub.target)));
  t.same(hub.ranges(), [undefined, `bytes=${HALF}-`]);
  t.same(await hub.left(), WHOLE);
});

t.test('one that stood still for too long loses its lock to the next', async (t) => {
  const { answer, release } = holdBack();
  t.teardown(release);
  const hub = await startHub(t, [answer, serve()]);
  const found = createModelFiles({ settings: hub.settings, log }).find('owner/name', BIG);
  await until(() => existsSync(`${hub.target}.part`));
  await rm(`${hub.target}.lock`, { recursive: true });
  const [, other] = await Promise.all([found, hub.find()]);
  t.equal(other, hub.target);
  t.ok(CONTENT.equals(await readFile(hub.target)));
  t.same(await hub.left(), WHOLE);
});

t.test('a download leaves the signals of the process to whoever listens', async (t) => {
  const hub = await startHub(t, [holdBack().answer]);
  const child = startProcess(t, hub.settings);
  await until(() => existsSync(`${hub.target}.part`));
  child.kill('SIGTERM');
  t.same(await once(child, 'exit'), [7, null]);
});

t.test('a hub that asks for a long wait is asked again after half a minute', async (t) => {
  const hub = await startHub(t, [refuse(429, { 'retry-after': '3600' })]);
  const child = startProcess(t, hub.settings);
  const [line] = await once(child.stdout as Readable, 'data');
  t.match(JSON.parse(String(line)), { milliseconds: 30_000, reason: /429/ });
});
