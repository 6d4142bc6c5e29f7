import { isIPv6 } from 'node:net';

/** The URL at which this machine reaches a server; a wildcard host is replaced by a loopback address. */
export function addressOf(host: string, port: number): string {
  const reached = ALL_ADDRESSES[host] ?? host;
  return `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}`;
}

const ALL_ADDRESSES: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
