import t from 'tap';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { startServer } from '../../support/server.ts';

const WAITS_3_S = `await new Promise((done) => setTimeout(done, 3000)); ${WHOLE_TEXT}`;
const HEARS = `globalThis.stopped ??= 0;
  await new Promise((_, fail) => context.signal.addEventListener('abort', () => {
    globalThis.stopped++;
    fail(context.signal.reason);
  }));`;
const SAYS = 'return [{ start: 0, end: text.length, extra: { stopped: globalThis.stopped ?? 0 } }];';

for (const [path, config, length] of [
  ['a small body, on the event loop', { workers: 1 }, 20],
  ['a large body, in a worker', { workers: 1 }, 20_000],
  ['a small body without workers', { workers: 0 }, 20],
  ['a large body without workers', { workers: 0 }, 20_000],
] as const) {
  t.test(`--request-timeout holds for ${path}`, async (t) => {
    const folder = await pluginsFolder(
      t,
      chunker('waits', WAITS_3_S, { light: true }),
      chunker('hears', HEARS, { light: true }),
      chunker('says', SAYS, { light: true }),
    );
    const { post } = await startServer(t, { ...config, pluginsDir: [folder], requestTimeout: 1 });
    const text = 'a'.repeat(length);
    const stopped = async () =>
      (await post('/v1/chunk/says', { text })).json<{ stopped: number }[]>()[0]?.stopped ?? 0;
    const before = await stopped();
    for (const name of ['waits', 'hears']) {
      const start = performance.now();
      const answer = await post(`/v1/chunk/${name}`, { text });
      const seconds = (performance.now() - start) / 1000;
      t.equal(answer.status, 503);
      t.match(answer.json(), { detail: /longer than 1 s and was stopped/ });
      t.ok(seconds >= 0.9 && seconds < 2.9, `${name}: ${seconds} s`);
    }
    t.equal((await stopped()) - before, 1, 'the work heard of it');
  });
}
