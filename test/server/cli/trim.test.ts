// Needs chunker/recursive, chunker/sentence, tokenizer/huggingface, tokenizer/tiktoken.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';

const ROOT = join(import.meta.dirname, '../../..');
const PARTS = ['core', 'plugins', 'server', 'package.json'];

t.test('a trimmed checkout starts, keeps what was asked for and answers 404 for the rest', async (t) => {
  const checkout = copyOfTheCheckout(t);
  const { status, stdout } = trim(checkout, 'token,recursive,character');
  t.equal(status, 0);
  t.match(stdout, 'removed plugins/chunkers/sentence');
  t.match(stdout, 'removed the dependency tiktoken');
  t.strictSame(readdirSync(join(checkout, 'plugins', 'chunkers')).filter(isPlugin), ['recursive', 'token']);
  t.strictSame(readdirSync(join(checkout, 'plugins', 'tokenizers')).filter(isPlugin), ['character']);

  const base = await startServer(t, checkout);
  t.equal((await post(`${base}/v1/chunk/token`, { text: 'kept' })).status, 200);
  t.equal((await post(`${base}/v1/chunk/recursive`, { text: 'kept' })).status, 200);
  t.equal((await post(`${base}/v1/chunk/sentence`, { text: 'gone' })).status, 404);
  const refused = await post(`${base}/v1/chunk/token`, { text: 'x', tokenizer: 'gpt2' });
  t.equal(refused.status, 400, 'a tokenizer that was removed is unknown');
});

t.test('only packages that nothing kept needs leave package.json', async (t) => {
  const checkout = copyOfTheCheckout(t);
  const before = dependenciesOf(checkout);
  trim(checkout, 'token', 'tiktoken');
  const gone = Object.keys(before).filter((name) => !(name in dependenciesOf(checkout)));
  t.notOk(gone.includes('tiktoken'), 'a kept plugin needs it');
  t.ok(gone.includes('@huggingface/tokenizers'));
  t.notOk(gone.includes('fastify'));
});

t.test('a package that the server imports too stays, whichever plugin needs it', async (t) => {
  const checkout = copyOfTheCheckout(t);
  const manifest = join(checkout, 'plugins', 'chunkers', 'sentence', 'manifest.ts');
  const source = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, source.replace('uses:', "needs: { packages: ['ajv', 'pino'] },\n  uses:"));
  trim(checkout, 'token');
  t.ok('ajv' in dependenciesOf(checkout));
  t.ok('pino' in dependenciesOf(checkout));
});

t.test('a package of which only a comment or a text speaks does not stay', async (t) => {
  const checkout = copyOfTheCheckout(t);
  const remark =
    "/* import { get_encoding } from 'tiktoken'; */ export const text = \"from 'onnxruntime-node'\";\n";
  writeFileSync(join(checkout, 'server', 'remark.ts'), remark);
  trim(checkout, 'token,character');
  t.notOk('tiktoken' in dependenciesOf(checkout));
  t.notOk('onnxruntime-node' in dependenciesOf(checkout));
});

t.test('the kinds that a kept plugin uses are kept whole if none of them is named', async (t) => {
  const checkout = copyOfTheCheckout(t);
  const tokenizers = readdirSync(join(checkout, 'plugins', 'tokenizers'));
  trim(checkout, 'token');
  t.strictSame(readdirSync(join(checkout, 'plugins', 'tokenizers')), tokenizers);
});

t.test('an unknown name removes nothing and names the known plugins', async (t) => {
  const checkout = copyOfTheCheckout(t);
  const { status, stderr } = trim(checkout, 'tokken');
  t.equal(status, 2);
  t.match(stderr, 'There is no plugin "tokken"');
  t.match(stderr, 'chunker/token');
  t.ok(existsSync(join(checkout, 'plugins', 'chunkers', 'sentence')));
  t.equal(trim(checkout).status, 2, 'no name at all is refused too');
});

t.test('uncommitted work is not touched without --force', async (t) => {
  const checkout = copyOfTheCheckout(t);
  execFileSync('git', ['init', '--quiet'], { cwd: checkout });
  const { status, stderr } = trim(checkout, 'token');
  t.equal(status, 2);
  t.match(stderr, 'uncommitted');
  t.ok(existsSync(join(checkout, 'plugins', 'chunkers', 'sentence')));
  t.equal(trim(checkout, 'token', '--force').status, 0);
  t.notOk(existsSync(join(checkout, 'plugins', 'chunkers', 'sentence')));
});

function copyOfTheCheckout(t: Test): string {
  const folder = t.testdir({});
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function trim(checkout: string, ...args: string[]) {
  return spawnSync(process.execPath, [join(checkout, 'server', 'cli', 'trim.ts'), ...args], {
    encoding: 'utf8',
  });
}

function dependenciesOf(checkout: string): Record<string, string> {
  return JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')).dependencies;
}

function isPlugin(name: string): boolean {
  return !name.includes('.');
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
