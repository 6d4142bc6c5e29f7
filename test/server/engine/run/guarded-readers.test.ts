import t from 'tap';
import { postForm } from '../../../support/files.ts';
import { plugin, pluginsFolder } from '../../../support/plugins.ts';
import { startServer } from '../../../support/server.ts';

/** Readers whose manifest says `guarded`, over HTTP; processes/guarded-readers.test.ts has all ways in which they fail. */

const READER = `import { refusedError } from 'chunksmith/kit';
import { threadId } from 'node:worker_threads';
const does = {
  reads: () => ({ text: 'thread ' + threadId }),
  runs: () => { for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20); },
  fails: () => { throw new Error('a secret path'); },
  refuses: () => { throw refusedError('The file cannot be read: it is torn.'); },
};
export default (given) => ({ read: ({ bytes }) => does[Buffer.from(bytes).toString()](given) });`;
const manifest = { kind: 'reader', name: 'obedient', formats: { extensions: ['.do'] }, guarded: true };

const pluginsDir = [await pluginsFolder(t, plugin(manifest, READER))];
const config = { pluginsDir, workers: 1 };
const client = await startServer(t, config);
const ask = (what: string, server = client) =>
  postForm(server, '/v1/chunk/token/file', { bytes: what, name: 'a.do' });
const threadOf = async () => (await ask('reads')).json<{ text: string }[]>()[0]?.text;

t.test('a file is read in a thread of its own, which is kept, also if it refuses a file', async (t) => {
  const before = await threadOf();
  t.match(before, /^thread \d+$/);
  const { status, bytes } = await ask('refuses');
  t.equal(status, 400);
  t.match(String(bytes), /The file cannot be read: it is torn\./);
  t.equal(await threadOf(), before);
});

t.test('a reader that fails leaves the service whole', async (t) => {
  const before = await threadOf();
  const { status, bytes } = await ask('fails');
  t.equal(status, 500);
  t.match(String(bytes), /The reader \\"obedient\\" failed/);
  t.notMatch(String(bytes), /secret/);
  t.not(await threadOf(), before, 'the next file has a new thread');
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
