import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The servers that tests run against, which are made once for this machine: see README.md. */
export interface Servers {
  /** The folder that they run in. */
  readonly root: string;
  /** For `skip`: why there are none, or false. */
  readonly missing: string | false;
}

/** The user and the group that servers run as. */
export const OWNER = 31_416;

const run = promisify(execFile);
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'chunksmith-tests');
const MAKE = join(import.meta.dirname, 'make.ts');
/** How long a failure is believed before the servers are made again, so that not every test tries. */
const RETRY_AFTER = 600_000;

/** Where the servers are, or will be: what they are made from is part of the name. */
export const SERVERS = join(CACHE, `servers-${recipe()}`);
/** What says why they could not be made. */
export const FAILURE = `${SERVERS}.failed`;

function recipe(): string {
  const hash = createHash('sha256').update(process.arch);
  for (const file of [MAKE, join(import.meta.dirname, 'package-lock.json')]) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

/** Whether it takes a while to open them. */
export const mustMakeServers = (): boolean => !existsSync(SERVERS) && whyNotHere() === undefined;

/** Makes the servers if there are none; whoever comes second waits for the first. */
export async function openServers(): Promise<Servers> {
  if (existsSync(SERVERS)) return { root: SERVERS, missing: false };
  const missing = whyNotHere() ?? (await recentFailure());
  if (missing !== undefined) return { root: '', missing };
  await mkdir(CACHE, { recursive: true });
  const lock = ['--conflict-exit-code', '1', join(CACHE, 'lock')];
  const make = run('flock', [...lock, process.execPath, MAKE]);
  const failed = await make.then(() => undefined, reasonOf);
  return failed === undefined ? { root: SERVERS, missing: false } : { root: '', missing: failed };
}

function whyNotHere(): string | undefined {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get')) return 'real servers need Debian';
  return process.getuid?.() === 0 ? undefined : 'real servers need root, for a chroot';
}

/** Why they could not be made a short while ago. */
export async function recentFailure(): Promise<string | undefined> {
  const { mtimeMs } = await stat(FAILURE).catch(() => ({ mtimeMs: 0 }));
  return Date.now() - mtimeMs < RETRY_AFTER ? readFile(FAILURE, 'utf8') : undefined;
}

/** One line of what a command said. */
export function reasonOf(error: unknown): string {
  const { stderr = '', message } = error as Error & { readonly stderr?: string };
  const [said = message] = /^(E:|npm error|real servers).*/m.exec(stderr) ?? [];
  const [line = ''] = said.split('\n');
  return line.startsWith('real servers') ? line : `real servers could not be made: ${line.slice(0, 200)}`;
}
