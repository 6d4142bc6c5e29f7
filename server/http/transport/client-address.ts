import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest, FastifyServerOptions } from 'fastify';
import plugin from 'fastify-plugin';
import ipaddr from 'ipaddr.js';
import type { Config } from '../../config/config.ts';

/** The proxies that Fastify trusts. Fastify takes a number of proxies only as a function. */
export function trustOf({ trustProxy }: Pick<Config, 'trustProxy'>): FastifyServerOptions['trustProxy'] {
  if (typeof trustProxy !== 'number') return [...trustProxy];
  return trustProxy === 0 ? false : (_address: string, hop: number) => hop < trustProxy;
}

/**
 * Hides entries of X-Forwarded-For that are not addresses from Fastify. A proxy may forward what its client
 * wrote, or add a word such as `unknown`.
 */
export const forwardedAddresses = plugin(
  async (app: FastifyInstance) => {
    app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
      const given = headers['x-forwarded-for'];
      if (given !== undefined) headers['x-forwarded-for'] = nearestAddresses([given].flat().join());
      done();
    });
  },
  { name: 'chunksmith-forwarded-addresses' },
);

/**
 * The addresses at the right end of X-Forwarded-For, without ports and zones, up to the first other entry. No
 * address vouches for the senders of entries further left.
 */
export function nearestAddresses(header: string): string {
  const nearest: string[] = [];
  for (const entry of header.split(',').reverse()) {
    const address = addressIn(entry.trim());
    if (address === undefined) break;
    nearest.push(address);
  }
  return nearest.reverse().join(', ');
}

/** An address in brackets or with a port: `[2001:db8::1]`, `[2001:db8::1]:567`, `1.2.3.4:567`. */
const ENTRY = /^(?:\[([0-9a-f:.%\w]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/i;

function addressIn(entry: string): string | undefined {
  const [, bracketed, withPort] = ENTRY.exec(entry) ?? [];
  const [address = ''] = (bracketed ?? withPort ?? entry).split('%');
  return isIP(address) === 0 ? undefined : address;
}

/** Leading 16-bit units of an IPv6 address that a provider gives to one customer. */
const NETWORK_UNITS = 4;

/** The client of a request: its IPv4 address, or its IPv6 network of 64 bits. */
export function clientOf({ ip }: Pick<FastifyRequest, 'ip'>): string {
  // A closed connection has no address.
  if (isIP(ip ?? '') === 0) return '';
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, NETWORK_UNITS)
    .map((unit) => unit.toString(16))
    .join(':')}::/64`;
}
