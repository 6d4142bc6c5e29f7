import { readFile } from 'node:fs/promises';
import { argv } from 'node:process';
import { Command } from 'commander';
import { type Flags, readConfig } from '../config/config.ts';
import { withServerFlags } from './commands/serve.ts';
import { addressOf } from './listening.ts';

/**
 * Health check of the container image (Linux only): exits with 0 if the server answers, otherwise with 1. The
 * server's host and port come from the flags and variables of its process, by default process 1.
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
 * The address of a server from its command line, which may begin with another program, such as an init.
 *
 * @param command the words of the process's command line, followed by an empty word
 * @param variables the process's environment variables, as `NAME=value`
 * @returns undefined if the process is not a server
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
