import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { JOBS, STEPS } from '../../support/jobs.ts';
import { checkProblem } from '../../support/problems.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';

/** A server that takes no jobs. */

const ROOT = join(import.meta.dirname, '../../..');

t.test('its routes say which option switches jobs on', async (t) => {
  const server = await startServer(t);
  const remedy = [/--bulk-root FOLDER/, /--bulk-connections FILE/];
  const request = { source: { path: 'kb' }, steps: STEPS };
  checkProblem(t, await server.post(JOBS, request), 500, remedy);
  checkProblem(t, await server.get(`${JOBS}/x/events`), 500, remedy);
});

/** Prints the files of jobs that were loaded, once the server listens and its store is open. */
const PROGRAM = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
  const { buildApp, configOf } = await import('./server/app.ts');
  const [bulkRoot, dataDir] = process.argv.slice(1);
  const app = await buildApp(configOf({ workers: 0, logLevel: 'silent', dataDir, bulkRoot }), {
    async onOpen() {
      await app.close();
      console.log(loaded.filter((url) => ${String(/jobs\/(handlers|worker|open-job-store)\.ts$/)}.test(url)).length);
    },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
`;

async function countLoaded(bulkRoot: string, dataDir: string): Promise<number> {
  const args = [
    '-u',
    'NODE_OPTIONS',
    process.execPath,
    '--input-type=module',
    '-e',
    PROGRAM,
    bulkRoot,
    dataDir,
  ];
  const { stdout } = await promisify(execFile)('env', args, { cwd: ROOT });
  return Number(stdout);
}

t.test('it loads neither their store nor their worker', async (t) => {
  const folder = await temporaryFolder(t);
  t.equal(await countLoaded('', join(folder, 'data')), 0);
  t.equal(await countLoaded(folder, join(folder, 'data')), 3, 'which one that takes jobs does');
});
