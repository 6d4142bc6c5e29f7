import { type DecodeBytes, headerText } from '../../toolkit/mime/index.ts';

/** The addresses of a field such as `To`, each as text: `Ada <ada@example.org>`. */
export function addressesOf(value: string, decode: DecodeBytes): string[] {
  const addresses: string[] = [];
  let start = 0;
  for (const { index } of value.matchAll(SEPARATOR)) {
    if (value[index] !== ',' && value[index] !== ';') continue;
    addresses.push(value.slice(start, index));
    start = index + 1;
  }
  addresses.push(value.slice(start));
  return addresses
    .map((address) => headerText(address, decode).replace(QUOTED_NAME, unescaped).replace(ONLY_ADDRESS, '$1'))
    .filter((address) => address !== '');
}

/** A stretch without separators, or a separator. A quotation that is not closed goes on to the end. */
const SEPARATOR = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|<[^<>]*>|\([^()]*\)|[,;]/g;
const ONLY_ADDRESS = /^<([^<>\s]*)>$/;
/** A name in quotation marks before an address. */
const QUOTED_NAME = /^"([^"\\]*(?:\\[\s\S][^"\\]*)*)"(?=\s*<)/;
const unescaped = (_: string, name: string): string => name.replace(/\\([\s\S])/g, '$1');
