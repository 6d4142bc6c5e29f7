import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

/**
 * Whether an address is one of the public internet. Private ones, those of this machine, of a link, of a carrier's
 * network, of groups, and reserved ones are not; an IPv6 address that stands for one of IPv4 is as public as that.
 *
 * @param address of IPv4 or IPv6, as a name server gives it
 */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  return isV6(parsed) ? isPublicV6(parsed) : parsed.range() === 'unicast';
}

const isV6 = (address: IPv4 | IPv6): address is IPv6 => address.kind() === 'ipv6';

function isPublicV6(address: IPv6): boolean {
  const range = address.range();
  if (range === 'ipv4Mapped') return isPublic(address.toIPv4Address().toString());
  // Networks without IPv4 reach it by addresses with this prefix, RFC 6052.
  const [first, second, third] = address.parts;
  if (range === 'rfc6052' && first === 0x64 && second === 0xff9b && third === 0) {
    return isPublic(address.toByteArray().slice(12).join('.'));
  }
  // All that IANA has given out, RFC 4291.
  return range === 'unicast' && ((first ?? 0) & 0xe000) === 0x2000;
}
