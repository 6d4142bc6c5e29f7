import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { needs } from '../../../support/here.ts';
import { freePort } from '../../../support/process.ts';
import { clientFor } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';

/** The images of the Dockerfile, built without a Docker engine: how large they are, and whether they answer. */

const ROOT = join(import.meta.dirname, '../../../..');
const BASE = 'docker.io/library/node:24-slim';
const SLOW = 900_000;
const NEEDS = needs(
  ...(['chunker/token', 'chunker/sentence', 'chunker/recursive', 'chunker/auto', 'chunker/code'] as const),
  'refinery/embeddings',
);

const run = async (command: string, ...args: string[]): Promise<string> => {
  const env = { ...process.env, BUILDAH_ISOLATION: 'chroot', NODE_OPTIONS: '' };
  const options = { cwd: ROOT, env, timeout: SLOW, maxBuffer: 1e8 };
  return (await promisify(execFile)(command, args, options)).stdout.trim();
};

const has = (program: string) => spawnSync(program, ['--version']).error === undefined;

/** Why no image can be built, or false. */
async function whyNot(): Promise<string | false> {
  if (process.getuid?.() !== 0 || !has('buildah')) return 'images need buildah, and root';
  if ((await run('buildah', 'images', '-q', BASE).catch(() => '')) !== '') return false;
  try {
    await run('buildah', 'pull', '-q', BASE);
    return false;
  } catch {
    if (!has('debootstrap')) return `there is neither ${BASE} nor debootstrap`;
    await run(join(ROOT, 'test/servers/node-image.sh'), process.execPath);
    return false;
  }
}

const skip = NEEDS.skip || (await whyNot());

const IMAGES = [
  ['whole', 220, '', ['/v1/chunk/auto', '/v1/refine/embeddings']],
  ['trimmed', 60, 'token,sentence,recursive', ['/v1/chunk/sentence', '/v1/chunk/recursive']],
] as const;

for (const [name, most, plugins, paths] of IMAGES) {
  const title = `the ${name} image takes at most ${most} MB, and answers`;
  t.test(title, { skip, timeout: SLOW }, async (t) => {
    const image = `localhost/chunksmith-test:${name}`;
    const build = ['bud', '-q', '--pull-never', '--layers', '--network', 'host', '-t', image];
    await run('buildah', ...build, '--build-arg', `PLUGINS=${plugins}`, '.');
    const container = await run('buildah', 'from', '--pull-never', image);
    t.teardown(() => run('buildah', 'rm', container));
    const root = await run('buildah', 'mount', container);
    t.ok(Number.parseInt(await run('du', '-sm', join(root, 'app')), 10) <= most);
    const port = await freePort();
    const command = ['node', 'build/server/main.js', '--host', '127.0.0.1', '--port', String(port)];
    const env = { ...process.env, BUILDAH_ISOLATION: 'chroot', NODE_OPTIONS: '' };
    const args = ['run', '--network', 'host', '--user', 'node', container, '--', ...command];
    const server = spawn('buildah', args, { env, stdio: 'ignore' });
    t.teardown(async () => {
      server.kill('SIGTERM');
      if (server.exitCode === null) await once(server, 'exit');
    });
    const { get, post } = clientFor(`http://127.0.0.1:${port}`);
    await until(async () => (await get('/ready').catch(() => undefined))?.status === 200, 60_000);
    for (const path of paths) {
      const chunks = [{ text: 'One two.', start_index: 0, end_index: 8, token_count: 8 }];
      const answer = await post(path, path.includes('refine') ? { chunks } : { text: 'One two.' });
      t.match(answer.json(), [{ text: 'One two.', end_index: 8 }], path);
    }
    t.equal((await post('/v1/chunk/code', { text: 'x' })).status, name === 'whole' ? 200 : 404);
  });
}
