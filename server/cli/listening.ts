import { once } from 'node:events';
import { createServer, isIPv6 } from 'node:net';
import { hold } from '../../core/hold.ts';
import type { Config } from '../config/config.ts';

export function addressOf(host: string, port: number): string {
  const reached = ALL_ADDRESSES[host] ?? host;
  return `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}`;
}

const ALL_ADDRESSES: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; choose another with --port',
  EACCES: 'this user may not listen on that port; choose one above 1023 with --port',
  EADDRNOTAVAIL: 'this machine does not have that address; choose another with --host',
  ENOTFOUND: 'the host is unknown; choose another with --host',
  EAI_AGAIN: 'the host cannot be resolved now; give an address with --host',
};

type Address = Pick<Config, 'host' | 'port'>;

/** Explains to the operator why the address cannot be used; `undefined` if the error has another cause. */
export function listenProblem(error: unknown, { host, port }: Address): string | undefined {
  const reason = REASONS[String((error as { code?: unknown }).code)];
  return reason && `Cannot listen on ${host}:${port}: ${reason}.`;
}

export async function tryToListen(address: Address): Promise<string | undefined> {
  const server = hold(createServer());
  try {
    await once(server.listen(address.port, address.host), 'listening');
    return undefined;
  } catch (error) {
    return listenProblem(error, address) ?? String(error);
  } finally {
    server.close();
  }
}
