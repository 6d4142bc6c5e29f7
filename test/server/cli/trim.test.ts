import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { chunker, plugin, WHOLE_TEXT } from '../../support/plugins.ts';

/** Trims checkouts of made-up plugins, so that it does not matter which ones are in this one. */

const ROOT = join(import.meta.dirname, '../../..');

const tokenizer = (name: string, manifest: object = {}) =>
  plugin(
    { kind: 'tokenizer', name, models: [name], ...manifest },
    `export default () => ({ names: () => ['${name}'], open: async (name) => name !== '${name}' ? undefined : {
      name, tokenize: (text) => ({
        count: (start, end) => end - start,
        ends: () => Uint32Array.from({ length: text.length }, (_, unit) => unit + 1),
      }),
    } });`,
  );
const uses = ['tokenizer'];
const PLUGINS: Readonly<Record<string, Record<string, string>>> = {
  'plugins/chunkers': {
    ...chunker('keep', WHOLE_TEXT, { uses, needs: { packages: ['of-both'] } }),
    ...chunker('drop', WHOLE_TEXT, { uses, needs: { packages: ['of-both', 'of-drop', 'ajv', 'pino'] } }),
  },
  'plugins/tokenizers': { ...tokenizer('units', { default: 'units' }), ...tokenizer('letters') },
  'test/plugins/chunkers': { 'keep/keep.test.ts': '', 'drop/drop.test.ts': '' },
};

t.test('a trimmed checkout starts, keeps what was asked for and answers 404 for the rest', async (t) => {
  const checkout = makeCheckout(t);
  const { status, stdout } = trim(checkout, 'keep,units');
  t.equal(status, 0);
  t.match(stdout, 'removed plugins/chunkers/drop\n');
  t.match(stdout, 'removed test/plugins/chunkers/drop\n');
  t.match(stdout, 'removed the dependency of-drop\n');
  t.same(readdirSync(join(checkout, 'plugins/chunkers')), ['keep']);
  t.same(readdirSync(join(checkout, 'plugins/tokenizers')), ['units']);
  t.same(readdirSync(join(checkout, 'test/plugins/chunkers')), ['keep']);

  // Nobody has installed what the made-up plugin says it needs.
  const manifest = join(checkout, 'plugins/chunkers/keep/manifest.js');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"of-both"', ''));
  const base = await startServer(t, checkout);
  t.equal((await post(`${base}/v1/chunk/keep`, { text: 'kept' })).status, 200);
  t.equal((await post(`${base}/v1/chunk/drop`, { text: 'gone' })).status, 404);
  const refused = await post(`${base}/v1/chunk/keep`, { text: 'x', tokenizer: 'letters' });
  t.equal(refused.status, 400, 'a tokenizer that was removed is unknown');
});

t.test('packages leave package.json that neither a kept plugin nor the server needs', async (t) => {
  const checkout = makeCheckout(t);
  const remark = "/* import { x } from 'of-drop'; */ export const text = \"from 'of-drop'\";\n";
  writeFileSync(join(checkout, 'server/remark.ts'), remark);
  trim(checkout, 'keep');
  const left = dependenciesOf(checkout);
  t.notOk('of-drop' in left, 'a comment and a text that speak of it do not keep it');
  for (const name of ['of-both', 'ajv', 'pino', 'fastify']) t.ok(name in left, name);
});

t.test('the kinds that a kept plugin uses are kept whole if none of them is named', async (t) => {
  const checkout = makeCheckout(t);
  trim(checkout, 'keep');
  t.same(readdirSync(join(checkout, 'plugins/tokenizers')), ['letters', 'units']);
});

t.test('without names it removes what a folder that was deleted by hand has left behind', async (t) => {
  const checkout = makeCheckout(t);
  commit(checkout);
  rmSync(join(checkout, 'plugins/chunkers/drop'), { recursive: true });
  const { status, stdout } = trim(checkout);
  t.equal(status, 0, 'the deletion itself is not committed yet');
  t.match(stdout, /^removed test\/plugins\/chunkers\/drop\n[\s\S]*removed the dependency of-drop\n/);
  t.same(readdirSync(join(checkout, 'plugins/chunkers')), ['keep']);
  t.match(trim(checkout).stdout, /^Nothing to remove/);
});

t.test('an unknown name removes nothing and names the known plugins', async (t) => {
  const checkout = makeCheckout(t);
  const { status, stderr } = trim(checkout, 'kep');
  t.equal(status, 2);
  t.match(stderr, 'There is no plugin "kep"');
  t.match(stderr, 'chunker/keep');
  t.ok(existsSync(join(checkout, 'plugins/chunkers/drop')));
});

t.test('uncommitted work is not touched without --force', async (t) => {
  const checkout = makeCheckout(t);
  execFileSync('git', ['init', '--quiet'], { cwd: checkout });
  const { status, stderr } = trim(checkout, 'keep');
  t.equal(status, 2);
  t.match(stderr, 'uncommitted');
  t.ok(existsSync(join(checkout, 'plugins/chunkers/drop')));
  t.equal(trim(checkout, 'keep', '--force').status, 0);
  t.notOk(existsSync(join(checkout, 'plugins/chunkers/drop')));
});

function makeCheckout(t: Test): string {
  const checkout = t.testdir({});
  for (const part of ['core', 'server']) cpSync(join(ROOT, part), join(checkout, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const dependencies = { ...manifest.dependencies, 'of-both': '1.0.0', 'of-drop': '1.0.0' };
  writeFileSync(join(checkout, 'package.json'), JSON.stringify({ ...manifest, dependencies }));
  for (const [folder, files] of Object.entries(PLUGINS)) {
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(dirname(join(checkout, folder, file)), { recursive: true });
      writeFileSync(join(checkout, folder, file), content);
    }
  }
  return checkout;
}

function commit(checkout: string): void {
  const as = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
  for (const args of [
    ['init', '--quiet'],
    ['add', '.'],
    [...as, 'commit', '--quiet', '-m', 'all'],
  ])
    execFileSync('git', args, { cwd: checkout });
}

function trim(checkout: string, ...args: string[]) {
  return spawnSync(process.execPath, [join(checkout, 'server', 'cli', 'trim.ts'), ...args], {
    encoding: 'utf8',
  });
}

function dependenciesOf(checkout: string): Record<string, string> {
  return JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')).dependencies;
}

/** Starts the server of a checkout as users do and gives its address. */
async function startServer(t: Test, checkout: string): Promise<string> {
  const main = join(checkout, 'server', 'main.ts');
  const child = spawn(process.execPath, [main, '--host', '127.0.0.1', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(async () => {
    const exited = once(child, 'exit');
    child.kill();
    await exited;
  });
  for await (const line of createInterface(child.stdout)) {
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
    if (address !== null) return address[0];
  }
  throw new Error('the server ended without listening');
}

function post(url: string, body: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
