import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { plugin, pluginsFolder, WHOLE_TEXT } from '../../../support/plugins.ts';
import { startProcess } from '../../../support/process.ts';
import { temporaryFolder } from '../../../support/server.ts';

/** What is left of the log of a process that ends in whatever way. */

/** A chunker that ends the process in the way that the text names. */
const ENDING = `export default ({ log }) => ({ async chunk(text) {
  const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  if (text === 'exit') process.exit(3);
  if (text === 'throw') setImmediate(() => { throw new Error('thrown on purpose'); });
  if (text === 'reject') setImmediate(() => void Promise.reject(new Error('rejected on purpose')));
  if (text === 'warn') {
    log.warn({}, 'warned');
    wait(300);
    process.kill(process.pid, 'SIGKILL');
  }
  ${WHOLE_TEXT}
} });`;

type Line = { readonly msg: string; readonly reqId?: string };

/** Starts a server whose requests have the numbers from 0 as their ids. */
async function withEnding(t: Test) {
  const ending = plugin({ kind: 'chunker', name: 'ending', light: true }, ENDING);
  const env = { PLUGINS_DIR: await pluginsFolder(t, ending), DATA_DIR: await temporaryFolder(t) };
  const args = ['--host', '127.0.0.1', '--port', '0', '--store', 'memory', '--workers', '0'];
  const server = startProcess(t, args, { env });
  const client = await server.listening();
  let next = 0;
  const answered: number[] = [];
  const send = async (text: string) => {
    const id = next++;
    await client.post('/v1/chunk/ending', { text }, { 'x-request-id': String(id) });
    answered.push(id);
  };
  const lines = () =>
    server
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  return {
    server,
    send,
    /** Sends requests for so long, several at a time. @returns how many were answered */
    async load(ms: number): Promise<number> {
      const end = performance.now() + ms;
      const one = async () => {
        while (performance.now() < end) await send('words');
      };
      await Promise.all(Array.from({ length: 8 }, one));
      return next;
    },
    lines,
    /** The numbers of the requests that were answered. */
    answered: () => answered,
    /** The numbers of the requests that the log has, in their order. */
    ids: () =>
      lines()
        .filter(({ msg }) => msg === 'answered')
        .map(({ reqId }) => Number(reqId))
        .sort((a, b) => a - b),
  };
}

const numbers = (length: number): number[] => Array.from({ length }, (_, at) => at);

for (const [how, code] of [
  ['exit', 3],
  ['throw', 1],
  ['reject', 1],
] as const)
  t.test(`all lines are there, none torn, after: ${how}`, async (t) => {
    const { server, send, load, lines, ids } = await withEnding(t);
    const answered = await load(500);
    const last = send(how).catch(() => undefined);
    t.equal(await server.ended(), code);
    await last;
    t.same(ids().slice(0, answered), numbers(answered));
    if (how !== 'exit') t.ok(lines().some(({ msg }) => msg === 'stopping after an unhandled error'));
  });

t.test('all lines are there after SIGTERM during a load', async (t) => {
  const { server, load, lines, ids, answered } = await withEnding(t);
  const loaded = load(60_000).catch(() => undefined);
  await sleep(500);
  server.child.kill('SIGTERM');
  t.equal(await server.ended(), 0);
  await loaded;
  const found = new Set(ids());
  t.ok(answered().length > 0);
  t.same(
    answered().filter((id) => !found.has(id)),
    [],
  );
  t.ok(lines().some(({ msg }) => msg === 'stopping'));
});

t.test('after SIGKILL, all lines are there of what was answered a second before, none torn', async (t) => {
  const { server, load, ids } = await withEnding(t);
  const answered = await load(500);
  await sleep(1000);
  server.child.kill('SIGKILL');
  await server.ended();
  t.same(ids(), numbers(answered));
});

t.test('a warning is written at once, and before it all lines that wait', async (t) => {
  const { server, send, lines, ids } = await withEnding(t);
  await send('words');
  await send('warn').catch(() => undefined);
  await server.ended();
  t.same(ids(), [0]);
  t.ok(lines().some(({ msg }) => msg === 'warned'));
});
