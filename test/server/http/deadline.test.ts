import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { until } from '../../support/process.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';

const WAITS_20_S = `await new Promise((done) => setTimeout(done, 20_000).unref()); ${WHOLE_TEXT}`;
/** Notes in a file that it runs, and that its signal has aborted: each thread has globals of its own. */
const hears = (file: string) => `const { appendFileSync } = await import('node:fs');
  appendFileSync(${JSON.stringify(file)}, 'runs ');
  await new Promise((_, fail) => context.signal.addEventListener('abort', () => {
    appendFileSync(${JSON.stringify(file)}, 'heard ');
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
      chunker('waits', WAITS_20_S, { light: true }),
      chunker('hears', hears(heard), { light: true }),
    );
    const { post } = await startServer(t, { ...config, pluginsDir: [folder], requestTimeout: 1 });
    const text = 'a'.repeat(length);
    const isStopped = async (name: string) => {
      const start = performance.now();
      const answer = await post(`/v1/chunk/${name}`, { text });
      const seconds = (performance.now() - start) / 1000;
      t.equal(answer.status, 503);
      t.match(answer.json(), { detail: /longer than 1 s and was stopped/ });
      t.ok(seconds >= 0.9 && seconds < 15, `${name}: ${seconds} s`);
    };
    await isStopped('waits');
    // On a busy machine a thread may start too late to run the work, or lose it before it looks at its signal.
    do await isStopped('hears');
    while (!(await hasWithin(1, () => existsSync(heard) && readFileSync(heard, 'utf8').includes('heard'))));
    t.match(readFileSync(heard, 'utf8'), /^(runs (heard )?)+$/, 'the work hears of it once');
  });
}

/** Whether something holds within some seconds. */
async function hasWithin(seconds: number, holds: () => boolean): Promise<boolean> {
  return until(holds, seconds * 1000).catch(() => false);
}
