import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { needs } from '../../support/here.ts';
import { startProcess } from '../../support/process.ts';
import { temporaryFolder } from '../../support/server.ts';

const ROOT = join(import.meta.dirname, '../../..');
const { PATH = '', HOME = '' } = process.env;
/** Runs a program to its end. */
function run(command: string, args: readonly string[], options: { cwd?: string; path?: string } = {}) {
  const { cwd = ROOT, path = PATH } = options;
  return spawnSync(command, args, { cwd, env: { PATH: path, HOME }, encoding: 'utf8' });
}

/** The package as it is installed, beside the packages of this checkout. */
async function unpacked(): Promise<string> {
  const folder = await temporaryFolder(t);
  const source = join(folder, 'source');
  mkdirSync(source);
  const build = [join(ROOT, 'test/tools/build.ts'), join(source, 'build')];
  const { status, stderr } = run(process.execPath, build);
  if (status !== 0) throw new Error(stderr);
  for (const file of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'])
    copyFileSync(join(ROOT, file), join(source, file));
  const packed = run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: source });
  run('tar', ['-xzf', packed.stdout.trim()], { cwd: folder });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'package');
}

const root = await unpacked();
const bin = join(root, 'build/server/cli/bin.js');

t.test('the package has what it runs, and no sources or tests', async (t) => {
  for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md']) t.ok(existsSync(join(root, file)), file);
  t.notOk(existsSync(join(root, 'test')));
  const exclude = ['**/*.d.ts', 'build/server/clients/playground/**', '**/templates/**'];
  t.same(globSync('build/**/*.ts', { cwd: root, exclude }), []);
});

t.test('every licence of what it contains comes along, in the image too', async (t) => {
  const licences = '{core,plugins,server}/**/*{NOTICE,LICENSE,LICENCE,COPYING}*';
  const isListed = (path: string) => !path.endsWith('.ts');
  const found = globSync(licences, { cwd: ROOT }).filter(isListed);
  t.ok(found.length >= 3, `${found}`);
  for (const path of found) {
    const copy = join(root, 'build', path);
    t.ok(existsSync(copy), path);
    t.equal(readFileSync(copy, 'utf8'), readFileSync(join(ROOT, path), 'utf8'), path);
  }
  // The image has the same folder.
  t.match(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'), /^COPY --from=build \/app\/build build$/m);
});

const SERVED = 'chunksmith serve answers outside of a checkout, in its threads too, with its pages';
t.test(SERVED, needs('chunker/recursive'), async (t) => {
  const cwd = await temporaryFolder(t);
  const args = ['--port', '0', '--host', '127.0.0.1', '--workers', '1'];
  const server = startProcess(t, args, { entry: [bin, 'serve'], cwd });
  const { get, chunk } = await server.listening();
  for (const text of ['short', 'long '.repeat(20_000)]) {
    const chunks = await chunk('recursive', { text });
    t.equal(chunks.map((one) => one.text).join(''), text);
  }
  for (const path of ['/docs', '/redoc', '/redoc/redoc.js', '/playground', '/playground/main.ts'])
    t.equal((await get(path)).status, 200, path);
  t.ok(existsSync(join(cwd, 'data')), 'its data stand where it was started');
  server.child.kill('SIGTERM');
  t.equal(await server.ended(), 0);
});

t.test('what a package exports can be imported, with types', async (t) => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const [name, files] of Object.entries<Record<string, string> | string>(exports)) {
    if (typeof files === 'string') continue;
    for (const file of [files.types, files.default])
      t.ok(existsSync(join(root, file as string)), `${name}: ${file}`);
  }
  const script = `import chunksmith from 'chunksmith';
    import { cutAtDelimiters } from 'chunksmith/kit';
    import { findMarkdownBlocks } from 'chunksmith/toolkit';
    console.log(typeof chunksmith, typeof cutAtDelimiters, findMarkdownBlocks('# Tea').length);`;
  const printed = run(process.execPath, ['--input-type=module', '-e', script], { cwd: root });
  t.equal(printed.stdout, 'function function 1\n');
});

t.test('an older Node runs the one that comes along', async (t) => {
  const isOther = (folder: string) => !folder.endsWith(join('node_modules', '.bin'));
  const path = PATH.split(':').filter(isOther).join(':');
  const old = run('node', ['--version'], { path });
  const major = Number(/^v(\d+)/.exec(old.stdout)?.[1] ?? Number.NaN);
  if (!(major < 24)) return void t.pass('there is no older Node here');
  t.match(run('node', [bin, '--version'], { path }), { status: 0, stdout: /^\d+\.\d+\.\d+\n$/ });
  t.match(run('node', [bin, 'nonsense'], { path }), { status: 2, stderr: /unknown command/ });
});
