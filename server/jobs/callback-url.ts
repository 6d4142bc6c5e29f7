import { isIP } from 'node:net';
import { isPublic } from './addresses.ts';

const LONGEST = 2048;

/**
 * What is wrong with the URL of a callback, as far as it says so itself; undefined if nothing is. Where its name leads
 * is checked when it is called.
 *
 * @param isPrivateAllowed whether it may be an address that is not public
 */
export function checkCallbackUrl(text: string, isPrivateAllowed: boolean): string | undefined {
  const url = text.length <= LONGEST ? URL.parse(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    return `expected a URL of at most ${LONGEST} characters such as https://app.example/done`;
  }
  if (url.username !== '' || url.password !== '') return 'expected a URL without user and password';
  const host = hostOf(url);
  if (isIP(host) !== 0 && !isPrivateAllowed && !isPublic(host)) return notPublic(host);
  return undefined;
}

/** The name or the address of a URL, without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

export const notPublic = (host: string): string =>
  `${host} is no public address; if it is meant, start the server with --bulk-callback-private`;
