import { type Profiler, Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { buildApp, configOf } from '../../server/app.ts';

/**
 * `npm run walk` prints which files and functions of ours a small request passes through, by V8's precise coverage between
 * two equal requests to one process without worker threads. `npm run walk -- --list` names them.
 */

const ROOT = join(import.meta.dirname, '../..');
const ROUTE = '/v1/chunk/recursive';
const BODY = JSON.stringify({
  text: '# Tea\n\nBoil water. Wait three minutes.\n\n## Milk\n\nOnly a little.',
  chunk_size: 40,
});

const app = await buildApp(configOf({ workers: 0, store: 'memory', logLevel: 'error' }));
const address = await app.listen({ host: '127.0.0.1', port: 0 });
const session = new Session();
session.connect();

async function ask(): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${address}${ROUTE}`, { method: 'POST', headers, body: BODY });
  if (!answer.ok) throw new Error(await answer.text());
  await answer.arrayBuffer();
}

const isOurs = ({ url }: Profiler.ScriptCoverage) =>
  url.startsWith(`file://${ROOT}/`) && !url.includes('/node_modules/') && !url.includes('/test/');

for (let warm = 0; warm < 3; warm++) await ask();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** What ran of each file during one request. */
async function walk() {
  await session.post('Profiler.takePreciseCoverage');
  await ask();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const walked = result.filter(isOurs).map(({ url, functions }) => ({
    file: url.slice(`file://${ROOT}/`.length),
    functions: functions.filter(
      ({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0,
    ),
  }));
  return walked.filter(({ functions }) => functions.length > 0);
}

// What runs by the clock, such as a look at the memory, falls into one of several walks.
const walks = [await walk(), await walk(), await walk()];
const [files = []] = walks.sort((a, b) => a.length - b.length);
const count = files.reduce((sum, { functions }) => sum + functions.length, 0);
console.log(`POST ${ROUTE}: ${files.length} files, ${count} functions`);
if (process.argv.includes('--list')) {
  for (const { file, functions } of files)
    console.log(`${file}: ${functions.map(({ functionName }) => functionName).join(', ')}`);
}
session.disconnect();
await app.close();
