import { hash } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hold } from '../../../../core/hold.ts';
import { UsageError } from '../../errors.ts';

/**
 * Keeps other processes of this machine from a folder, by listening at a name that follows from it. However the process
 * ends, the name is free again.
 *
 * @returns a function that lets it go
 * @throws UsageError if another process has it
 */
export async function holdFolder(folder: string): Promise<() => void> {
  const name = nameOf(folder);
  const server = (await listen(name)) ?? (await afterDead(name));
  if (server === undefined) {
    throw new UsageError(`--out ${folder}: a run into this folder is going on; wait for its end, or stop it`);
  }
  return () => server.close();
}

/** On Linux a name is no file. */
function nameOf(folder: string): string {
  const name = `chunksmith-${hash('sha256', realpathSync(folder), 'hex').slice(0, 32)}`;
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), name);
}

/** Undefined if the name is taken. */
function listen(name: string): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = hold(
      createServer((socket) => socket.destroy()),
      () => resolve(undefined),
    );
    server.listen(name, () => resolve(server.unref()));
  });
}

/** Elsewhere than on Linux, a process that was killed leaves its file. */
async function afterDead(name: string): Promise<Server | undefined> {
  if (name.startsWith('\0') || (await isAnswered(name))) return undefined;
  rmSync(name, { force: true });
  return listen(name);
}

function isAnswered(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = hold(
      connect(name, () => resolve(true)),
      () => resolve(false),
    );
    socket.once('close', () => socket.destroy());
  });
}
