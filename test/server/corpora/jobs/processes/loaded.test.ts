import { mkdtempDisposable } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';

/** What is loaded is told by this process, which therefore imports nothing of the server by itself. */

const loaded: string[] = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});

/** Starts a server, and counts the files of jobs that are loaded once its store is open. */
async function countLoaded(settings: {
  readonly bulkRoot?: string;
  readonly dataDir: string;
}): Promise<number> {
  const { buildApp, configOf } = await import('../../../../../server/app.ts');
  const { promise: opened, resolve: onOpen } = Promise.withResolvers<void>();
  const app = await buildApp(configOf({ workers: 0, logLevel: 'silent', ...settings }), { onOpen });
  await app.listen({ host: '127.0.0.1', port: 0 });
  await opened;
  await app.close();
  return loaded.filter((url) => /\/(http\/handlers|jobs\/(worker|open-job-store))\.ts$/.test(url)).length;
}

t.test('a server that takes no jobs loads neither their store nor their worker', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'chunksmith-test-'));
  const { path } = folder;
  t.equal(await countLoaded({ dataDir: path }), 0);
  t.equal(await countLoaded({ dataDir: path, bulkRoot: path }), 3, 'which one that takes jobs does');
});
