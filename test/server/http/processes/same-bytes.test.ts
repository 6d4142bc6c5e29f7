import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import pMap from 'p-map';
import t from 'tap';
import { isHere } from '../../../support/here.ts';
import { postRoutes } from '../../../support/openapi.ts';
import { startProcess } from '../../../support/process.ts';
import { temporaryFolder } from '../../../support/server.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const FILES = [
  'README.md',
  'CHANGELOG.md',
  'server/CORPORA.md',
  'package-lock.json',
  'core/engine/packing/packing.ts',
  'server/clients/python/chunksmith/__init__.py',
];
const TEXTS = FILES.map((name) => readFileSync(join(ROOT, name), 'utf8').slice(0, 60_000));
const PAGE = `<html><body>${'<h1>一</h1><p>これは文です。😀 <table><tr><td>a<td>b</table>'.repeat(300)}`;
/** Prose that is no code takes a parser longest. */
const LANGUAGES = ['python', 'javascript', 'auto'];

type Asked = readonly [path: string, body: object];

/** Keeps the processor busy until it is stopped. */
function busyLoop(): () => Promise<number> {
  const worker = new Worker('for (;;);', { eval: true });
  return () => worker.terminate();
}

t.test('a text is answered with the same bytes by a server that is idle, shared or overloaded', async (t) => {
  const server = startProcess(t, ['--port', '0', '--workers', '2', '--data-dir', await temporaryFolder(t)]);
  const client = await server.listening();
  const routes = await postRoutes(client, '/v1/chunk/');
  const names = routes.map(({ path }) => path.slice('/v1/chunk/'.length)).filter((name) => name !== 'code');
  const requests: Asked[] = [...TEXTS, PAGE].flatMap((text) => [
    ...names.map((name) => [`/v1/chunk/${name}`, { text, chunk_size: 300 }] as Asked),
    ...(isHere('chunker/code') ? LANGUAGES : []).map(
      (language) => ['/v1/chunk/code', { text, language, chunk_size: 300 }] as Asked,
    ),
  ]);
  requests.push(['/v1/chunk/token', { text: TEXTS, chunk_size: 50 }]);
  if (isHere('embedding/static')) {
    const lines = TEXTS.flatMap((text) => text.split('\n').slice(0, 150)).filter((line) => line !== '');
    requests.push(['/v1/embed', { text: lines }]);
  }
  const ask = async ([path, body]: Asked) => {
    const answer = await client.post(path, body);
    return `${answer.status} ${hash('sha256', answer.bytes)}`;
  };
  const alone = await pMap(requests, ask, { concurrency: 1 });
  t.ok(alone.filter((outcome) => outcome.startsWith('200 ')).length > requests.length / 2);
  for (const [clients, loops] of [
    [2, 0],
    [8, 0],
    [8, 3],
  ] as const) {
    const stops = Array.from({ length: loops }, busyLoop);
    const outcomes = await pMap(requests, ask, { concurrency: clients });
    await Promise.all(stops.map((stop) => stop()));
    const others = requests.flatMap(([path], at) => (outcomes[at] === alone[at] ? [] : [path]));
    t.same(others, [], `${clients} clients beside ${loops} busy loops`);
  }
});
