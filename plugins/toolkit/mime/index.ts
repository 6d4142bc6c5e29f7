/** Messages and web archives in MIME: their parts, fields and transfer encodings. */

export { fittingCharset } from './charset.ts';
export {
  type DecodeBytes,
  dateOf,
  decodedAs,
  type HeaderField,
  headerText,
} from './header.ts';
export { decodedBody, fieldNamed, type MimePart, parseMime } from './parts.ts';
