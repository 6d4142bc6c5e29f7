import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { until } from '../../support/process.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';

const WAITS_3_S = `await new Promise((done) => setTimeout(done, 3000)); ${WHOLE_TEXT}`;
/** Notes in a file that its signal has aborted: each thread has globals of its own. */
const hears = (file: string) => `const { appendFileSync } = await import('node:fs');
  await new Promise((_, fail) => context.signal.addEventListener('abort', () => {
    appendFileSync(${JSON.stringify(file)}, 'x');
    fail(context.signal.reason);
  }));`;

for (const [path, config, length] of [
  ['a small body, on the event loop', { workers: 1 }, 20],
  ['a large body, in a worker', { workers: 1 }, 20_000],
  ['a small body without workers', { workers: 0 }, 20],
  ['a large body without workers', { workers: 0 }, 20_000],
] as const) {
  t.test(`--request-timeout holds for ${path}`, async (t) => {
    const heard = join(await temporaryFolder(t), 'heard');
    const folder = await pluginsFolder(
      t,
      chunker('waits', WAITS_3_S, { light: true }),
      chunker('hears', hears(heard), { light: true }),
    );
    const { post } = await startServer(t, { ...config, pluginsDir: [folder], requestTimeout: 1 });
    const text = 'a'.repeat(length);
    for (const name of ['waits', 'hears']) {
      const start = performance.now();
      const answer = await post(`/v1/chunk/${name}`, { text });
      const seconds = (performance.now() - start) / 1000;
      t.equal(answer.status, 503);
      t.match(answer.json(), { detail: /longer than 1 s and was stopped/ });
      t.ok(seconds >= 0.9 && seconds < 2.9, `${name}: ${seconds} s`);
    }
    await until(() => existsSync(heard));
    t.equal(readFileSync(heard, 'utf8'), 'x', 'the work heard of it, once');
  });
}
