/** Messages and web archives in MIME: their parts, fields and transfer encodings. */

export { fittingCharset } from './charset.ts';
export {
  addressesOf,
  type DecodeBytes,
  dateOf,
  decodedAs,
  type HeaderField,
  hasHighBytes,
  headerText,
} from './header.ts';
export { decodedBody, fieldNamed, type MimePart, parseMime, sizeOf } from './parts.ts';
