import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { number, printTable } from '../race/report.ts';

/**
 * Entry of `npm run bench -- first-use`: makes the package, installs it into an empty prefix, and does in an empty folder
 * what a newcomer does, with the command as it is installed.
 */

const ROOT = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'chunksmith-bench-'));
const [prefix, work] = [join(folder, 'prefix'), join(folder, 'work')];
const COMMAND = join(prefix, 'bin', 'chunksmith');
const rows: string[][] = [];

async function step<T>(what: string, run: () => T | Promise<T>): Promise<T> {
  const begin = performance.now();
  const result = await run();
  rows.push([what, number((performance.now() - begin) / 1000)]);
  return result;
}

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

interface Served {
  readonly url: string;
  readonly child: ChildProcess;
}

/** Starts the service, and waits until it says where it listens. */
async function serve(...args: readonly string[]): Promise<Served> {
  const all = ['serve', '--host', '127.0.0.1', '--port', '0', ...args];
  const child = spawn(COMMAND, all, { cwd: work, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  for await (const piece of child.stdout.setEncoding('utf8')) {
    printed += piece;
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0];
    if (url !== undefined) return { url, child };
  }
  throw new Error(`it ended: ${printed}`);
}

async function stop({ child }: Served): Promise<void> {
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
}

/** @throws Error if the chunks joined are not the text */
async function ask({ url }: Served, chunker: string): Promise<void> {
  const text = 'A first text. It has two sentences, and an emoji: 👩‍👩‍👧‍👦.';
  const answer = await fetch(`${url}/v1/chunk/${chunker}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  });
  const chunks = (await answer.json()) as readonly { readonly text: string }[];
  if (!answer.ok || chunks.map((chunk) => chunk.text).join('') !== text)
    throw new Error(JSON.stringify(chunks));
}

async function firstUse(): Promise<void> {
  mkdirSync(work);
  await step('npm run build', () => run(execPath, [join(ROOT, 'server/cli/build.ts')], ROOT));
  const file = await step('npm pack', () =>
    run('npm', ['pack', '--silent', '--pack-destination', folder], ROOT),
  );
  await step('npm install --global --prefix', () =>
    run(
      'npm',
      ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', join(folder, file.trim())],
      folder,
    ),
  );
  const service = await step('chunksmith serve, until it listens', () => serve());
  await step('the first answer', () => ask(service, 'recursive'));
  await stop(service);
  await step('chunksmith plugin new chunker mine', () =>
    run(COMMAND, ['plugin', 'new', 'chunker', 'mine'], work),
  );
  await step('chunksmith plugin check my-plugins/mine', () =>
    run(COMMAND, ['plugin', 'check', 'my-plugins/mine'], work),
  );
  const own = await step('chunksmith serve --plugins-dir my-plugins', () =>
    serve('--plugins-dir', 'my-plugins'),
  );
  await step('the first answer of the new chunker', () => ask(own, 'mine'));
  await stop(own);
}

try {
  await firstUse();
  printTable('From a checkout to a chunker of your own', ['', 'seconds'], rows);
} finally {
  rmSync(folder, { recursive: true });
}
