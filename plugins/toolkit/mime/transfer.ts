/** Decodes the body of a part by its `Content-Transfer-Encoding`. Invalid signs are skipped, as mail programs do. */
export function decodeTransfer(body: Uint8Array, encoding: string): Uint8Array {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  if (encoding === 'base64') return fromBase64(bytes);
  if (encoding === 'quoted-printable') return fromQuotedPrintable(bytes);
  if (UUENCODE.test(encoding)) return fromUuencode(bytes);
  return body;
}

const UUENCODE = /^x-uu|^uue/;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const NO_DIGIT = 64;
const VALUES = new Uint8Array(256).fill(NO_DIGIT);
for (let value = 0; value < NO_DIGIT; value++) VALUES[DIGITS.charCodeAt(value)] = value;

/** Decodes base64. Padding may be in the middle, because several encoded texts may follow each other. */
function fromBase64(bytes: Buffer): Uint8Array {
  const decoded = Buffer.allocUnsafe(Math.ceil((bytes.length * 3) / 4));
  let length = 0;
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    const value = VALUES[byte] as number;
    if (byte === EQUALS) count = 0;
    if (value === NO_DIGIT) continue;
    bits = ((bits << 6) | value) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    decoded[length++] = bits >> count;
  }
  return decoded.subarray(0, length);
}

const EQUALS = 0x3d;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANKS = [0x20, 0x09];

function fromQuotedPrintable(bytes: Buffer): Uint8Array {
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    const hex = byte === EQUALS ? hexAt(bytes, at + 1) : undefined;
    if (hex !== undefined) {
      decoded[length++] = hex;
      at += 2;
      continue;
    }
    const after = byte === EQUALS ? softBreakEnd(bytes, at + 1) : undefined;
    if (after === undefined) decoded[length++] = byte;
    else at = after - 1;
  }
  return decoded.subarray(0, length);
}

function hexAt(bytes: Buffer, at: number): number | undefined {
  const [high, low] = [digitOf(bytes[at]), digitOf(bytes[at + 1])];
  return high === undefined || low === undefined ? undefined : high * 16 + low;
}

function digitOf(byte = 0): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : undefined;
}

/** Maximum blanks between `=` and the end of its line. */
const MAX_BLANKS = 100;

/** The offset after a line break that `=` removes. */
function softBreakEnd(bytes: Buffer, from: number): number | undefined {
  let at = from;
  while (at - from < MAX_BLANKS && BLANKS.includes(bytes[at] as number)) at++;
  if (at >= bytes.length) return at;
  if (bytes[at] === CARRIAGE_RETURN) at++;
  return bytes[at] === LINE_FEED ? at + 1 : undefined;
}

/** Decodes the lines between `begin` and `end`. */
function fromUuencode(bytes: Buffer): Uint8Array {
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  let isInside = false;
  for (let at = 0; at < bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, at);
    const next = feed === -1 ? bytes.length : feed + 1;
    if (isInside && bytes.toString('latin1', at, at + 3) === 'end') break;
    if (isInside) length += decodeLine(bytes.subarray(at, next), decoded.subarray(length));
    else isInside = /^begin \d{3,4} /.test(bytes.toString('latin1', at, at + 11));
    at = next;
  }
  return decoded.subarray(0, length);
}

/** Decodes a line, whose first sign is the number of its bytes. Returns how many bytes it has. */
function decodeLine(line: Buffer, decoded: Buffer): number {
  const count = signOf(line[0]);
  for (let at = 1, length = 0; length < count; at += 4, length += 3) {
    const [a, b, c, d] = [signOf(line[at]), signOf(line[at + 1]), signOf(line[at + 2]), signOf(line[at + 3])];
    decoded[length] = (a << 2) | (b >> 4);
    decoded[length + 1] = ((b & 15) << 4) | (c >> 2);
    decoded[length + 2] = ((c & 3) << 6) | d;
  }
  return Math.min(count, decoded.length);
}

const signOf = (byte = 0x20): number => (byte - 0x20) & 0x3f;
