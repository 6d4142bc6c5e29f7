import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { startProcess } from '../../support/process.ts';
import type { Client } from '../../support/server.ts';
import { timed } from '../race/race.ts';
import { number, printTable } from '../race/report.ts';
import { withCleanup } from '../race/temporary.ts';

/**
 * Entry of `npm run bench -- first-use`: makes the package, installs it into an empty prefix, and does in an empty folder
 * what a newcomer does, with the command as it is installed.
 */

const ROOT = join(import.meta.dirname, '../../..');
const rows: string[][] = [];

async function step<T>(what: string, run: () => T | Promise<T>): Promise<T> {
  let result: T | undefined;
  const ms = await timed(async () => {
    result = await run();
  });
  rows.push([what, number(ms / 1000)]);
  return result as T;
}

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** @throws Error if the chunks joined are not the text */
async function ask({ chunk }: Client, chunker: string): Promise<void> {
  const text = 'A first text. It has two sentences, and an emoji: 👩‍👩‍👧‍👦.';
  const chunks = await chunk(chunker, { text });
  if (chunks.map((chunk) => chunk.text).join('') !== text) throw new Error(JSON.stringify(chunks));
}

await withCleanup(async (t, folder) => {
  const [prefix, cwd] = [join(folder, 'prefix'), join(folder, 'work')];
  const command = join(prefix, 'bin', 'chunksmith');
  mkdirSync(cwd);
  await step('npm run build', () => run(execPath, [join(ROOT, 'server/cli/build.ts')], ROOT));
  const pack = ['pack', '--silent', '--pack-destination', folder];
  const file = await step('npm pack', () => run('npm', pack, ROOT));
  const install = ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund'];
  const packed = join(folder, file.trim());
  await step('npm install --global --prefix', () => run('npm', [...install, packed], folder));
  const serve = (...flags: string[]) => {
    const args = ['--host', '127.0.0.1', '--port', '0', ...flags];
    return startProcess(t, args, { entry: [command, 'serve'], cwd }).listening();
  };
  const service = await step('chunksmith serve, until it listens', () => serve());
  await step('the first answer', () => ask(service, 'recursive'));
  for (const words of ['plugin new chunker mine', 'plugin check my-plugins/mine'])
    await step(`chunksmith ${words}`, () => run(command, words.split(' '), cwd));
  const flags = ['--plugins-dir', 'my-plugins'];
  const own = await step(`chunksmith serve ${flags.join(' ')}`, () => serve(...flags));
  await step('the first answer of the new chunker', () => ask(own, 'mine'));
});
printTable('From a checkout to a chunker of your own', ['', 'seconds'], rows);
