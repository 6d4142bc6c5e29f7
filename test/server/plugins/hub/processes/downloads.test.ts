import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import type { HubSettings } from '../../../../../server/config/hub-settings.ts';
import {
  BIG,
  CONTENT,
  HALF,
  holdBack,
  refuse,
  startHub,
  trickle,
  untilBegun,
  WHOLE,
} from '../../../../support/model-hub.ts';

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

const MODULE = new URL('../../../../../server/plugins/hub/model-files.ts', import.meta.url).href;
function environment(settings: HubSettings) {
  return { ...process.env, MODULE, SETTINGS: JSON.stringify(settings), FILE: JSON.stringify(BIG) };
}

function startProcess(t: Test, settings: HubSettings): ChildProcess {
  // Without NODE_OPTIONS, because what tap preloads listens for signals itself.
  const command = ['-u', 'NODE_OPTIONS', process.execPath, '-e', FINDER];
  const child = spawn('env', command, { env: environment(settings) });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

const startThread = (settings: HubSettings) =>
  new Worker(FINDER, { eval: true, env: environment(settings), stdout: true });

t.test('threads and processes that ask at once make one request in all', async (t) => {
  const hub = await startHub(t, [trickle(350)]);
  const threads = [startThread(hub.settings), startThread(hub.settings)];
  const processes = [startProcess(t, hub.settings), startProcess(t, hub.settings)];
  const ends = [...threads, ...processes].map(async (one) => (await once(one, 'exit'))[0]);
  // Waiting for the others does not count as silence of the hub.
  t.same(await Promise.all(ends), [0, 0, 0, 0], 'all find it');
  t.equal(hub.asked.length, 1);
  t.ok(CONTENT.equals(await readFile(hub.target)));
  t.same(await hub.left(), WHOLE, 'nothing else is left');
});

t.test('a download leaves the signals of the process to whoever listens', async (t) => {
  const hub = await startHub(t, [holdBack().answer]);
  const child = startProcess(t, hub.settings);
  await untilBegun(hub.target, HALF);
  child.kill('SIGTERM');
  t.same(await once(child, 'exit'), [7, null]);
});

t.test('a hub that asks for a long wait is asked again after half a minute', async (t) => {
  const hub = await startHub(t, [refuse(429, { 'retry-after': '3600' })]);
  const child = startProcess(t, hub.settings);
  const [line] = await once(child.stdout as Readable, 'data');
  t.match(JSON.parse(String(line)), { milliseconds: 30_000, reason: /429/ });
});
