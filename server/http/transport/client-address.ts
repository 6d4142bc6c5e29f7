import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest, FastifyServerOptions } from 'fastify';
import plugin from 'fastify-plugin';
import ipaddr from 'ipaddr.js';
import type { Config } from '../../config/config.ts';

/** Whom Fastify believes about the address of a client. It takes a number of proxies only as a function. */
export function trustOf({ trustProxy }: Pick<Config, 'trustProxy'>): FastifyServerOptions['trustProxy'] {
  if (typeof trustProxy !== 'number') return [...trustProxy];
  return trustProxy === 0 ? false : (_address: string, hop: number) => hop < trustProxy;
}

/**
 * Has Fastify see only those entries of X-Forwarded-For that are addresses: a proxy that forwards what its client wrote,
 * or adds a word such as `unknown`, names nobody.
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
 * The entries of X-Forwarded-For to the right of the first, from the right, that is not an address. Entries further left
 * come from senders that no address vouches for. Ports and zones are removed.
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

/** `1.2.3.4`, `1.2.3.4:567`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:567`. */
const ENTRY = /^(?:\[([0-9a-f:.%\w]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/i;

function addressIn(entry: string): string | undefined {
  const [, bracketed, withPort] = ENTRY.exec(entry) ?? [];
  const [address = ''] = (bracketed ?? withPort ?? entry).split('%');
  return isIP(address) === 0 ? undefined : address;
}

/** Units of an IPv6 address, of 16 bits each, that a provider gives to one customer. */
const NETWORK_UNITS = 4;

/** Who counts as one client: an IPv4 address, or an IPv6 network of 64 bits. */
export function clientOf({ ip }: Pick<FastifyRequest, 'ip'>): string {
  // A connection that is gone has no address.
  if (isIP(ip ?? '') === 0) return '';
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, NETWORK_UNITS)
    .map((unit) => unit.toString(16))
    .join(':')}::/64`;
}
