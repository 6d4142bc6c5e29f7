import { readFile } from 'node:fs/promises';
import { argv } from 'node:process';
import { readConfig } from '../config/config.ts';
import { addressOf } from './address.ts';

/**
 * The health check of the image: asks the server that runs as a process, by default the first one of the container,
 * whether it is alive, at the host and port of that process's own flags and variables. Exits with 0 if it is, else
 * with 1. Linux only.
 */
async function isHealthy(pid: string): Promise<boolean> {
  const url = `${await addressOfProcess(pid)}/health`;
  return (await fetch(url)).ok;
}

const MAIN = /(^|\/)server\/main\.[jt]s$/;

/** The address to ask a server at that runs as a process, maybe below another program such as an init. */
async function addressOfProcess(pid: string): Promise<string> {
  const [command, variables] = (await Promise.all(
    ['cmdline', 'environ'].map(async (name) => (await readFile(`/proc/${pid}/${name}`, 'utf8')).split('\0')),
  )) as [string[], string[]];
  const main = command.findIndex((word) => MAIN.test(word));
  if (main === -1) throw new Error(`process ${pid} is no server`);
  const flags = command.slice(main + 1, -1);
  const env = Object.fromEntries(variables.map((one) => /^([^=]*)=(.*)$/s.exec(one)?.slice(1) ?? [one, '']));
  const { host, port } = readConfig(flags, env);
  return addressOf(host, port);
}

try {
  process.exitCode = (await isHealthy(argv[2] ?? '1')) ? 0 : 1;
} catch (error) {
  console.error(String(error));
  process.exitCode = 1;
}
