import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest, FastifyServerOptions } from 'fastify';
import plugin from 'fastify-plugin';
import ipaddr from 'ipaddr.js';
import type { Config } from '../../config/config.ts';

/** Fastify's setting for trusted proxies. Fastify accepts a number of proxies only as a function. */
export function trustOf({ trustProxy }: Pick<Config, 'trustProxy'>): FastifyServerOptions['trustProxy'] {
  if (typeof trustProxy !== 'number') return [...trustProxy];
  return trustProxy === 0 ? false : (_address: string, hop: number) => hop < trustProxy;
}

/**
 * Removes entries that are not addresses from X-Forwarded-For before Fastify reads the header. A client may
 * send any entry, and a proxy may add a word such as `unknown`.
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
 * Reads X-Forwarded-For from right to left up to the first entry that is not an address. Entries further left
 * cannot be trusted. Returns the addresses in their order, without ports and zones.
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

/** Number of leading 16-bit units of an IPv6 address that identify a customer's network. */
const NETWORK_UNITS = 4;

/** Identifies the client of a request by its IPv4 address or /64 IPv6 network. */
export function clientOf({ ip }: Pick<FastifyRequest, 'ip'>): string {
  // `ip` is not set if the connection is closed.
  if (isIP(ip ?? '') === 0) return '';
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, NETWORK_UNITS)
    .map((unit) => unit.toString(16))
    .join(':')}::/64`;
}
