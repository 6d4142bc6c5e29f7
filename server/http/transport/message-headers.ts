import type { IncomingMessage } from 'node:http';
import { invalid, ServiceError } from '../../../core/errors.ts';

/** A host with an optional port, by its characters; empty if the target of the request has none. */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

/**
 * The error for what Node accepts and HTTP forbids, since a proxy in front may read it differently: RFC 9112, sections 3.2,
 * 6.1 and 7.1.
 */
export function problemOfHeaders({ headers, rawHeaders }: IncomingMessage): ServiceError | undefined {
  const hosts = countOf(rawHeaders, 'host');
  if (hosts > 1) return invalid(`Host: expected one header, got ${hosts}`);
  if (!HOST.test(headers.host ?? '')) return invalid('Host: expected a host and an optional port');
  const { 'transfer-encoding': given } = headers;
  if (given === undefined || given.toLowerCase() === 'chunked') return undefined;
  const codings = given.split(',').map((coding) => coding.trim().toLowerCase());
  if (codings.every((coding) => coding === 'chunked'))
    return invalid('Transfer-Encoding: expected chunked once');
  return new ServiceError('unsupported_transfer_coding', { received: JSON.stringify(given.slice(0, 100)) });
}

/** How often a header was sent. @param rawHeaders names and values by turns */
function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] as string;
    if (given.length === name.length && given.toLowerCase() === name) count++;
  }
  return count;
}
