import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { postForm } from '../../../support/files.ts';
import { startProcess } from '../../../support/process.ts';

/** Files that are hard on a reader's parser end with an error that says why, or are read; the service goes on. */

const READERS = join(import.meta.dirname, '../../../plugins/readers');
const LIMITS = { 'request-timeout': 20, 'reader-seconds': 6, 'reader-seconds-per-mb': 3 };
/** What a thread may take in and outside its heap, with its code, and what V8 has not given back. */
const MAX_GROWTH = 400_000_000;

const { listening, child, stderr } = startProcess(t, [
  ...['--workers', '1', '--port', '0', '--store', 'memory'],
  ...Object.entries(LIMITS).flatMap(([name, value]) => [`--${name}`, String(value)]),
]);
const client = await listening();
t.teardown(() => t.comment(stderr()));
const bytesNow = () =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024;
const read = (bytes: Buffer, name: string) => postForm(client, '/v1/chunk/token/file', { bytes, name });

for (const file of globSync('*/hostile-files.ts', { cwd: READERS }).sort()) {
  const reader = basename(dirname(file));
  const { HOSTILE_FILES, EXTENSION = reader } = (await import(join(READERS, file))) as {
    readonly HOSTILE_FILES: Readonly<Record<string, () => Buffer>>;
    readonly EXTENSION?: string;
  };
  const figures: string[] = [];
  for (const [what, make] of Object.entries(HOSTILE_FILES)) {
    await t.test(`${reader}: ${what}`, async (t) => {
      const bytes = make();
      const [before, begin] = [bytesNow(), performance.now()];
      let [most, slowest, isOver] = [before, 0, false];
      const watching = (async () => {
        for (; !isOver; await sleep(20)) {
          const asked = performance.now();
          t.equal((await client.get('/health')).status, 200);
          slowest = Math.max(slowest, performance.now() - asked);
          most = Math.max(most, bytesNow());
        }
      })();
      const answered = read(bytes, `a.${EXTENSION}`).finally(() => {
        isOver = true;
      });
      const [{ status, bytes: answer }] = await Promise.all([answered, watching]);
      const seconds = (performance.now() - begin) / 1000;
      t.ok([200, 400, 503].includes(status), `${status} ${String(answer).slice(0, 300)}`);
      if (status !== 200) t.match(String(answer), /cannot be read|longer than|over the limit/);
      t.ok(most - before < MAX_GROWTH, `${most - before} bytes`);
      t.equal((await read(Buffer.from('{"cells": []}'), 'a.ipynb')).status, 200, 'the next request');
      const mb = Math.round((most - before) / 1e6);
      figures.push(
        `${what}: ${status}, ${seconds.toFixed(1)} s, +${mb} MB, /health ${Math.round(slowest)} ms`,
      );
    });
  }
  t.comment(`${reader}\n  ${figures.join('\n  ')}`);
}
