import { execFile, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, globSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { postForm } from '../../../support/files.ts';
import { needs } from '../../../support/here.ts';
import { freePort } from '../../../support/process.ts';
import { type Cleanup, clientFor, temporaryFolder } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';

/** The images of the Dockerfile, built without a Docker engine: how large they are, and whether they answer. */

const ROOT = join(import.meta.dirname, '../../../..');
const BASE = 'node:24-slim';
const SLOW = 900_000;
const NEEDS = needs(
  ...(['chunker/token', 'chunker/sentence', 'chunker/recursive', 'chunker/auto', 'chunker/code'] as const),
  ...(['reader/pdf', 'refinery/embeddings'] as const),
);
/** This machine, as images name its processor. */
const HERE = process.arch === 'x64' ? 'amd64' : process.arch;

const OPTIONS = { cwd: ROOT, env: { ...process.env, BUILDAH_ISOLATION: 'chroot', NODE_OPTIONS: '' } };
const run = async (command: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(command, args, { ...OPTIONS, timeout: SLOW, maxBuffer: 1e8 })).stdout.trim();

const has = (program: string) => spawnSync(program, ['--version']).error === undefined;

/** Why no image can be built for a processor, or false. The base is that of a registry, or is made here. */
async function whyNot(processor: string): Promise<string | false> {
  if (process.getuid?.() !== 0 || !has('buildah')) return 'images need buildah, and root';
  for (const host of ['localhost', 'docker.io/library']) {
    const list = await run('buildah', 'manifest', 'inspect', `${host}/${BASE}`).catch(() => '');
    if (list.includes(`"${processor}"`)) return false;
  }
  if (!has('debootstrap')) return `there is neither ${BASE} nor debootstrap`;
  await run(join(ROOT, 'test/servers/node-image.sh'), processor, process.versions.node);
  return false;
}

/** Builds an image and returns the folder of a container that is made from it. */
async function build(t: Cleanup, name: string, processor: string, plugins = '') {
  const image = `localhost/chunksmith-test:${name}`;
  const flags = ['--pull=false', '--layers', '--network', 'host', '--platform', `linux/${processor}`];
  // Older versions of buildah leave it empty.
  const args = [`BUILDPLATFORM=linux/${HERE}`, `PLUGINS=${plugins}`].flatMap((one) => ['--build-arg', one]);
  await run('buildah', 'bud', '-q', ...flags, ...args, '-t', image, '.');
  const container = await run('buildah', 'from', '--pull-never', '--arch', processor, image);
  t.teardown(() => run('buildah', 'rm', container));
  return { container, root: await run('buildah', 'mount', container) };
}

/** Starts the service by a command, and returns a client that speaks to it when it is ready. */
async function start(t: Cleanup, command: string, args: readonly string[], options: SpawnOptions = OPTIONS) {
  const port = await freePort();
  const all = [...args, 'build/server/main.js', '--host', '127.0.0.1', '--port', String(port)];
  const server = spawn(command, all, { ...options, stdio: 'ignore' });
  t.teardown(async () => {
    server.kill('SIGTERM');
    if (server.exitCode === null) await once(server, 'exit');
  });
  const client = clientFor(`http://127.0.0.1:${port}`);
  await until(async () => (await client.get('/ready').catch(() => undefined))?.status === 200, 300_000);
  return client;
}

const sizeOf = async (root: string) => Number.parseInt(await run('du', '-sm', join(root, 'app')), 10);

const skip = NEEDS.skip || (await whyNot(HERE));

const IMAGES = [
  ['whole', 220, '', ['/v1/chunk/auto', '/v1/refine/embeddings']],
  ['trimmed', 60, 'token,sentence,recursive', ['/v1/chunk/sentence', '/v1/chunk/recursive']],
] as const;

for (const [name, most, plugins, paths] of IMAGES) {
  const title = `the ${name} image takes at most ${most} MB, and answers`;
  t.test(title, { skip, timeout: SLOW }, async (t) => {
    const { container, root } = await build(t, name, HERE, plugins);
    t.ok((await sizeOf(root)) <= most);
    // What was compiled for another user or path would not be found by the program.
    t.ok(globSync('app/.cache/*-1000/*', { cwd: root }).length > 500);
    const inside = ['run', '--network', 'host', '--user', 'node', container, '--', 'node'];
    const { post } = await start(t, 'buildah', inside);
    for (const path of paths) {
      const chunks = [{ text: 'One two.', start_index: 0, end_index: 8, token_count: 8 }];
      const answer = await post(path, path.includes('refine') ? { chunks } : { text: 'One two.' });
      t.match(answer.json(), [{ text: 'One two.', end_index: 8 }], path);
    }
    t.equal((await post('/v1/chunk/code', { text: 'x' })).status, name === 'whole' ? 200 : 404);
  });
}

/** The processor in the head of its programs. */
const AARCH64 = 183;
const EMULATOR = 'qemu-aarch64-static';

/** Why no image for another processor can be built and started, or false. */
async function whyNoOther(): Promise<string | false> {
  if (skip !== false) return skip;
  if (HERE !== 'amd64' || !has(EMULATOR)) return `arm64 is started on amd64, with ${EMULATOR}`;
  return whyNot('arm64');
}

t.test(
  'the image for arm64 is built without an emulator, has no program for amd64, and answers',
  {
    skip: await whyNoOther(),
    timeout: SLOW,
  },
  async (t) => {
    const { root: own } = await build(t, 'whole', HERE);
    const { root } = await build(t, 'arm64', 'arm64');
    t.ok((await sizeOf(root)) <= 220);
    const binaries = binariesIn(root);
    t.same(new Set(binaries.values()), new Set([AARCH64]));
    t.same(
      [...binaries.keys()],
      [...binariesIn(own).keys()].map((path) => path.replaceAll('x64', 'arm64')),
    );
    const env = { ...OPTIONS.env, NODE_ENV: 'production', DATA_DIR: await temporaryFolder(t) };
    const node = ['-L', root, join(root, 'usr/local/bin/node')];
    const client = await start(t, EMULATOR, node, { cwd: join(root, 'app'), env });
    t.equal((await client.get('/health')).status, 200);
    t.match(await client.chunk('recursive', { text: 'One. Two.', chunk_size: 5 }), [{ text: 'One. ' }, {}]);
    const code = { text: 'def a():\n  pass\ndef b():\n  pass\n', language: 'python', chunk_size: 20 };
    t.match(await client.chunk('code', code), [{ text: /^def a/ }, { text: /^def b/ }]);
    const bytes = readFileSync(join(ROOT, 'test/fixtures/pdf/odt.pdf'));
    const read = await postForm(client, '/v1/chunk/recursive/file', { bytes, name: 'odt.pdf' });
    t.match(read.json<unknown[]>()[0], { text: /^# Title/ });
  },
);

/** Programs and libraries of an image, sorted, with the number of the processor that they are for. */
function binariesIn(root: string): ReadonlyMap<string, number> {
  const head = Buffer.alloc(20);
  const files = globSync(['app/**', 'usr/local/bin/node'], { cwd: root, withFileTypes: true });
  const found = files
    .filter((file) => file.isFile())
    .flatMap(({ parentPath, name }) => {
      const path = join(parentPath, name);
      const file = openSync(path, 'r');
      readSync(file, head, 0, head.length, 0);
      closeSync(file);
      const isBinary = head.readUInt32BE(0) === 0x7f454c46;
      return isBinary ? [[path.slice(root.length), head.readUInt16LE(18)] as const] : [];
    });
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}
