import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Cleanup } from '../support/server.ts';
import { OWNER, openServers } from './environment.ts';

/** Real servers, which are made when this is imported first: only files below `processes` may. */
const { root: SERVERS, missing } = await openServers();

/** For `skip`: why there are no real servers, or false. */
export const noServers = missing;

/** Which machine a server believes to be on, and as whom. */
export interface ServerHome {
  /** The folder that is `/` for it. */
  readonly root: string;
  /** What stands before its command. */
  readonly prefix: readonly string[];
  readonly owner?: number;
}

const as = (user: number | string) => ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];

export const HOME: ServerHome = { root: SERVERS, prefix: ['chroot', SERVERS, ...as(OWNER)], owner: OWNER };

/** This machine itself. @param owner who runs servers if this process may do anything */
export function hostHome(owner: number): ServerHome {
  return process.getuid?.() === 0
    ? { root: '', prefix: as(owner), owner }
    : { root: '', prefix: ['setpriv'] };
}

/** Makes a folder that a server may write to, which ends with the test: its path in the home of the server and on this machine. */
export async function serverFolder(t: Cleanup, { root, owner }: ServerHome) {
  const inside = `/tmp/chunksmith-test-${process.pid}-${++folders}`;
  const outside = root + inside;
  await mkdir(outside);
  if (owner !== undefined) await chown(outside, owner, owner);
  t.teardown(() => rm(outside, { recursive: true, force: true }));
  return { inside, outside };
}

let folders = 0;

/** Removes folders of processes that were killed. */
for (const name of noServers === false ? readdirSync(join(SERVERS, 'tmp')) : []) {
  const [, pid] = /^chunksmith-test-(\d+)-/.exec(name) ?? [];
  if (pid !== undefined && !existsSync(`/proc/${pid}`))
    await rm(join(SERVERS, 'tmp', name), { recursive: true, force: true });
}

export interface ServerProgram {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What it prints once it can be used. */
  readonly ready: RegExp;
  /** Ends it with the test, and also when this process is killed. */
  readonly end?: 'KILL' | 'QUIT';
  readonly home?: ServerHome;
}

export interface RunningServer {
  readonly child: ChildProcess;
  /** What it printed once it could be used. */
  readonly said: RegExpExecArray;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a server, which ends with the test. */
export async function startServerProgram(
  t: Cleanup,
  { command, env = {}, ready, end = 'KILL', home = HOME }: ServerProgram,
): Promise<RunningServer> {
  const [program = '', ...args] = [...home.prefix, `--pdeathsig=${end}`, ...command];
  const child = spawn(program, args, {
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const stop = async (signal: NodeJS.Signals = `SIG${end}`) => {
    child.kill(signal);
    await ended;
  };
  t.teardown(() => stop());
  let printed = '';
  const said = await new Promise<RegExpExecArray>((resolve, reject) => {
    const read = (text: string) => {
      printed += text;
      const found = ready.exec(printed);
      if (found !== null) resolve(found);
    };
    for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', read);
    ended.then(() => reject(new Error(`${command[0]} ended: ${printed}`)), reject);
  });
  return { child, said, stop };
}

/** An npm package that is with the servers. */
export function importPackage<Module>(name: string): Promise<Module> {
  const { resolve } = createRequire(join(SERVERS, 'srv/npm/package.json'));
  return import(pathToFileURL(resolve(name)).href) as Promise<Module>;
}
