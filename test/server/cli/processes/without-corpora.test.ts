import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startProcess } from '../../../support/process.ts';
import { temporaryFolder } from '../../../support/server.ts';

/** A checkout from which the folder of corpora was deleted serves all but jobs. */

const ROOT = join(import.meta.dirname, '../../../..');
const CORPORA = join(ROOT, 'server/corpora');

const checkout = await temporaryFolder(t, { 'plugins/README.md': '' });
const STAND_INS = 'test/fixtures/stand-ins';
const filter = (path: string) => path !== CORPORA;
for (const part of ['core', 'plugins/toolkit', 'server', STAND_INS, 'package.json'])
  cpSync(join(ROOT, part), join(checkout, part), { recursive: true, filter });
symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));

function run(...args: string[]) {
  const entry = join(checkout, 'server/cli/main.ts');
  return spawnSync(process.execPath, [entry, ...args], { cwd: checkout, encoding: 'utf8' });
}

t.test('a server without corpora chunks, and has no jobs', async (t) => {
  const args = ['--host', '127.0.0.1', '--port', '0', '--workers', '0'];
  const folders = ['chunkers', 'tokenizers'].map((kind) => join(checkout, STAND_INS, kind));
  args.push('--plugins-dir', folders.join(','));
  const server = startProcess(t, args, { cwd: checkout, entry: [join(checkout, 'server/main.ts')] });
  const { get, post } = await server.listening();
  const answer = await post('/v1/chunk/token', { text: 'kept' });
  t.equal(answer.status, 200);
  t.equal((await get('/v1/jobs')).status, 404);
  t.equal((await post('/v1/jobs', {})).status, 404);
  t.equal((await get('/openapi.json')).status, 200);
  t.notMatch((await get('/metrics')).bytes.toString(), 'chunksmith_bulk');
});

t.test('what needs corpora says that they are not there', async (t) => {
  t.match(run('chunk', 'package.json'), { status: 2, stderr: 'chunk: corpora are not in this build' });
  t.match(run('serve', '--bulk-root', '.'), { status: 2, stderr: '--bulk-root' });
  t.match(run('check', '--port', '0'), { stdout: 'Jobs: not in this build' });
  const help = run('--help');
  t.match(help, { status: 0, stdout: 'serve' });
  t.notMatch(help.stdout, /^ {2}chunk /m);
});
