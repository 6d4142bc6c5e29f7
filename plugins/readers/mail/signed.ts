/** Object identifiers in DER: `1.2.840.113549.1.7.2` (signed data). */
const SIGNED_DATA = '2a864886f70d010702';
const SEQUENCE = 0x30;
const OBJECT_IDENTIFIER = 0x06;
const OCTETS = 0x04;
const CONSTRUCTED = 0x20;
const MAX_DEPTH = 20;

interface Element {
  readonly tag: number;
  readonly content: Buffer;
  readonly end: number;
}

/** The signed content of a CMS message (RFC 5652), as in `smime.p7m`. Undefined if it is encrypted or damaged. */
export function signedContent(bytes: Uint8Array): Uint8Array | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const [info] = elementsIn(buffer, 1);
  const [type, wrapper] = elementsIn(contentOf(info, SEQUENCE), 2);
  if (contentOf(type, OBJECT_IDENTIFIER).toString('hex') !== SIGNED_DATA) return undefined;
  const [data] = elementsIn(wrapper?.content ?? EMPTY, 1);
  const [, , encapsulated] = elementsIn(contentOf(data, SEQUENCE), 3);
  const [, explicit] = elementsIn(contentOf(encapsulated, SEQUENCE), 2);
  const [octets] = elementsIn(explicit?.content ?? EMPTY, 1);
  return octets === undefined ? undefined : octetsOf(octets, 0);
}

const EMPTY = Buffer.alloc(0);

function contentOf(element: Element | undefined, tag: number): Buffer {
  return element?.tag === tag ? element.content : EMPTY;
}

function octetsOf({ tag, content }: Element, depth: number): Buffer | undefined {
  if (tag === OCTETS) return content;
  if (tag !== (OCTETS | CONSTRUCTED) || depth > MAX_DEPTH) return undefined;
  const pieces = elementsIn(content, Number.POSITIVE_INFINITY).map((one) => octetsOf(one, depth + 1));
  return Buffer.concat(pieces.filter((piece) => piece !== undefined));
}

/** The first elements in a stretch, up to the end of the valid ones. */
function elementsIn(bytes: Buffer, most: number): Element[] {
  const elements: Element[] = [];
  let at = 0;
  while (elements.length < most && at < bytes.length) {
    const element = elementAt(bytes, at, 0);
    if (element === undefined || element.tag === 0) break;
    elements.push(element);
    at = element.end;
  }
  return elements;
}

function elementAt(bytes: Buffer, at: number, depth: number): Element | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return undefined;
  if (first === 0x80) return indefiniteAt(bytes, at, depth);
  const digits = first > 0x80 ? first & 0x7f : 0;
  if (digits > 4) return undefined;
  const start = at + 2 + digits;
  let length = digits === 0 ? first : 0;
  for (let index = 0; index < digits; index++) length = length * 256 + (bytes[at + 2 + index] ?? 0);
  const end = start + length;
  return end > bytes.length ? undefined : { tag, content: bytes.subarray(start, end), end };
}

/** An element whose end is marked by two zero bytes, as in BER. */
function indefiniteAt(bytes: Buffer, at: number, depth: number): Element | undefined {
  if (depth > MAX_DEPTH) return undefined;
  let end = at + 2;
  while (end + 1 < bytes.length && (bytes[end] !== 0 || bytes[end + 1] !== 0)) {
    const inner = elementAt(bytes, end, depth + 1);
    if (inner === undefined) return undefined;
    end = inner.end;
  }
  return { tag: bytes[at] as number, content: bytes.subarray(at + 2, end), end: end + 2 };
}
