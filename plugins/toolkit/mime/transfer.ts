/** Decodes the body of a part by its `Content-Transfer-Encoding`. Invalid signs are skipped, as mail programs do. */
export function decodeTransfer(body: Uint8Array, encoding: string): Uint8Array {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  if (encoding === 'base64') return fromBase64(bytes);
  if (encoding === 'quoted-printable') return fromQuotedPrintable(bytes);
  if (UUENCODE.test(encoding)) return fromUuencode(bytes);
  return body;
}

/** The bytes of a decoded body, without decoding what is in base64. */
export function decodedLength(body: Uint8Array, encoding: string): number {
  if (encoding !== 'base64') return decodeTransfer(body, encoding).length;
  let signs = 0;
  for (const byte of body) if (IS_BASE64[byte] === 1) signs++;
  return Math.floor((signs * 3) / 4);
}

const UUENCODE = /^x-uu|^uue/;
const IS_BASE64 = new Uint8Array(256);
for (const sign of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
  IS_BASE64[sign.charCodeAt(0)] = 1;

/** Decodes base64 in blocks, because several encoded texts may follow each other, each with its padding. */
function fromBase64(bytes: Buffer): Uint8Array {
  const source = bytes.toString('latin1');
  if (!source.includes('=')) return Buffer.from(source, 'base64');
  const blocks = source.split(/=+/).map((block) => Buffer.from(block, 'base64'));
  return Buffer.concat(blocks);
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
  const decoded: number[] = [];
  let isInside = false;
  for (const line of bytes.toString('latin1').split(/\r?\n/)) {
    if (!isInside) isInside = /^begin \d{3,4} /.test(line);
    else if (line === 'end') break;
    else decodeLine(line, decoded);
  }
  return Uint8Array.from(decoded);
}

function decodeLine(line: string, decoded: number[]): void {
  const count = (line.charCodeAt(0) - 0x20) & 0x3f;
  const end = decoded.length + count;
  for (let at = 1; decoded.length < end && at < line.length; at += 4) {
    const signs = [0, 1, 2, 3].map((index) => ((line.charCodeAt(at + index) || 0x20) - 0x20) & 0x3f);
    const [a = 0, b = 0, c = 0, d = 0] = signs;
    decoded.push((a << 2) | (b >> 4), ((b & 15) << 4) | (c >> 2), ((c & 3) << 6) | d);
  }
  decoded.length = Math.min(decoded.length, end);
}
