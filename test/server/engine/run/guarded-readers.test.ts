import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { postForm } from '../../../support/files.ts';
import { plugin, pluginsFolder } from '../../../support/plugins.ts';
import { startServer, temporaryFolder } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';

/** Readers whose manifest says `guarded`, over HTTP; processes/guarded-readers.test.ts has all ways in which they fail. */

const READER = `import { refusedError } from 'chunksmith/kit';
import { threadId } from 'node:worker_threads';
const does = {
  reads: () => ({ text: 'thread ' + threadId }),
  runs: () => { for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20); },
  fails: () => { throw new TypeError('a secret path', { cause: new Error('a deeper secret') }); },
  says: () => { throw 'a secret word'; },
  rejects: async () => { await undefined; return Promise.reject(); },
  forgets: () => {},
  sends: () => ({ text: 'x', metadata: { secret: () => {} } }),
  refuses: () => { throw refusedError('The file cannot be read: it is torn.'); },
};
export default (given) => ({ read: ({ bytes }) => does[Buffer.from(bytes).toString()](given) });`;
const guarded = { kind: 'reader', guarded: true } as const;
const GREEDY = `export default ({ log, hosted }) => ({ read: () => hosted.ask({}, {}) });`;
const MODEST = `export default ({ log, env, ...rest }) => ({
  read: () => ({ text: Object.keys(rest).sort().join() }),
});`;

const BORROWING = `export default ({ 'reader/obedient': inner, 'reader/plain': plain }) => ({
  read: async (file, context) => {
    const [one, other] = [await inner.read(file, context), await plain.read(file, context)];
    return { text: one.text + ', ' + other.text };
  },
});`;
const PLAIN = `import { threadId } from 'node:worker_threads';
export default () => ({ read: () => ({ text: 'plain in ' + threadId }) });`;

const pluginsDir = [
  await pluginsFolder(
    t,
    plugin({ ...guarded, name: 'obedient', formats: { extensions: ['.do'] } }, READER),
    plugin({ ...guarded, name: 'greedy', formats: { extensions: ['.greedy'] } }, GREEDY),
    plugin({ ...guarded, name: 'modest', formats: { extensions: ['.modest'] } }, MODEST),
    plugin({ kind: 'reader', name: 'plain', formats: { extensions: ['.plain'] } }, PLAIN),
    plugin(
      {
        ...guarded,
        name: 'borrowing',
        formats: { extensions: ['.borrowing'] },
        uses: ['reader/obedient', 'reader/plain'],
      },
      BORROWING,
    ),
  ),
];
const logTo = join(await temporaryFolder(t), 'log');
const config = { pluginsDir, workers: 1 };
const client = await startServer(t, { ...config, logLevel: 'error', logFormat: 'json', logTo });
const ask = (what: string, server = client) =>
  postForm(server, '/v1/chunk/token/file', { bytes: what, name: 'a.do' });
/** The last line of the log; the log is written a moment after the answer. */
async function lastLine(): Promise<string> {
  let lines: string[] = [];
  await until(() => {
    lines = readFileSync(logTo, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    return lines.length > seen;
  });
  seen = lines.length;
  return lines.at(-1) ?? '';
}
let seen = 0;
const threadOf = async () => (await ask('reads')).json<{ text: string }[]>()[0]?.text;

t.test('a file is read in a thread of its own, which is kept, also if it refuses a file', async (t) => {
  const before = await threadOf();
  t.match(before, /^thread \d+$/);
  const { status, bytes } = await ask('refuses');
  t.equal(status, 400);
  t.match(String(bytes), /The file cannot be read: it is torn\./);
  t.equal(await threadOf(), before);
});

for (const [what, told, logged] of [
  [
    'fails',
    /The reader \\"obedient\\" failed: an unexpected error/,
    /TypeError: a secret path.*index\.js:\d+.*a deeper secret/,
  ],
  [
    'says',
    /The reader \\"obedient\\" failed: an unexpected error/,
    /it threw \\+"a secret word\\+", which is not an error/,
  ],
  [
    'rejects',
    /The reader \\"obedient\\" failed: an unexpected error/,
    /it threw \\*"undefined\\*", which is not an error/,
  ],
  ['forgets', /breaks its contract: it returned no text/, /it returned no text/],
  ['sends', /breaks its contract: .* values that JSON cannot represent/, /could not be cloned/],
] as const) {
  t.test(`a reader that ${what} keeps its thread, and only the log has the cause`, async (t) => {
    const before = await threadOf();
    const { status, bytes } = await ask(what);
    t.equal(status, 500);
    t.match(String(bytes), told);
    t.notMatch(String(bytes), /secret/);
    t.match(await lastLine(), logged);
    t.equal(await threadOf(), before);
  });
}

t.test(
  'a guarded reader that asks for what it does not receive is told so, in the answer and the log',
  async (t) => {
    const { status, bytes } = await postForm(client, '/v1/chunk/token/file', {
      bytes: 'x',
      name: 'a.greedy',
    });
    const said =
      'The reader \\"greedy\\" failed: its factory asks for hosted, which a guarded reader does not receive: do without it, or remove guarded from the manifest.';
    t.equal(status, 500);
    t.ok(String(bytes).includes(said), String(bytes));
    t.ok((await lastLine()).includes(said));
  },
);

t.test('a guarded reader receives all the others', async (t) => {
  const { bytes } = await postForm(client, '/v1/chunk/token/file', { bytes: 'x', name: 'a.modest' });
  t.match(String(bytes), 'createCheck,kit,memoryBytes');
});

t.test('a small file that takes long is refused, with the limit and what raises it', async (t) => {
  const strict = await startServer(t, { ...config, readerSeconds: 1, readerSecondsPerMb: 0 });
  const answer = ask('runs', strict);
  t.equal((await strict.get('/health')).status, 200, 'meanwhile');
  const { status, bytes } = await answer;
  t.equal(status, 400);
  t.match(
    String(bytes),
    /it takes longer than 1 s, .* raise it with --reader-seconds or --reader-seconds-per-mb\./,
  );
});

t.test('a guarded reader uses other readers, which run in its thread', async (t) => {
  const { bytes } = await postForm(client, '/v1/chunk/token/file', { bytes: 'reads', name: 'a.borrowing' });
  const [, one, other] = /thread (\d+), plain in (\d+)/.exec(String(bytes)) ?? [];
  t.ok(one);
  t.equal(one, other);
});
