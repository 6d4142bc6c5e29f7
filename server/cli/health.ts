import { readFile } from 'node:fs/promises';
import { argv } from 'node:process';
import { Command } from 'commander';
import { type Flags, readConfig } from '../config/config.ts';
import { withServerFlags } from './commands/serve.ts';
import { addressOf } from './listening.ts';

/**
 * The health check of the image: checks whether the server running as a process, by default the first one of the
 * container, is alive, at the host and port of that process's own flags and variables. Exits with 0 if it is, else
 * with 1. Linux only.
 */
async function isHealthy(pid: string): Promise<boolean> {
  const [command, variables] = (await Promise.all(
    ['cmdline', 'environ'].map(async (name) => (await readFile(`/proc/${pid}/${name}`, 'utf8')).split('\0')),
  )) as [string[], string[]];
  const address = addressOfServer(command, variables);
  if (address === undefined) throw new Error(`process ${pid} is not a server`);
  return (await fetch(`${address}/health`)).ok;
}

const MAIN = /(^|\/)server\/main\.[jt]s$/;

/**
 * The address of a server that runs as a process, perhaps as the child of another program such as an init.
 *
 * @param command its words, of which the last one is empty
 * @param variables as `NAME=value`
 * @returns undefined if it is not a server
 */
export function addressOfServer(
  command: readonly string[],
  variables: readonly string[],
): string | undefined {
  const main = command.findIndex((word) => MAIN.test(word));
  if (main === -1) return undefined;
  const flags = withServerFlags(new Command())
    .parse(command.slice(main + 1, -1), { from: 'user' })
    .opts<Flags>();
  const env = Object.fromEntries(variables.map((one) => /^([^=]*)=(.*)$/s.exec(one)?.slice(1) ?? [one, '']));
  const { host, port } = readConfig(flags, env);
  return addressOf(host, port);
}

if (import.meta.main) {
  try {
    process.exitCode = (await isHealthy(argv[2] ?? '1')) ? 0 : 1;
  } catch (error) {
    console.error(String(error));
    process.exitCode = 1;
  }
}
