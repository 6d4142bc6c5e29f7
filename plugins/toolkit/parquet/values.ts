import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { ExactJson, valueOfJson } from './exact-values.ts';

/** Node's decompressors, which are faster than hyparquet's. The declared size limits their output. */
export const DECOMPRESSORS = {
  ZSTD: (bytes: Uint8Array, length: number) =>
    zstdDecompressSync(bytes, { maxOutputLength: Math.max(length, 1) }),
  GZIP: (bytes: Uint8Array, length: number) => gunzipSync(bytes, { maxOutputLength: Math.max(length, 1) }),
  BROTLI: (bytes: Uint8Array, length: number) =>
    brotliDecompressSync(bytes, { maxOutputLength: Math.max(length, 1) }),
};

/** Bytes that do not match their schema stay bytes, so that nothing is lost. */
export const PARSERS = {
  stringFromBytes: textOrBytes,
  jsonFromBytes: jsonOrBytes,
  geometryFromBytes: (bytes: Uint8Array) => bytes,
  geographyFromBytes: (bytes: Uint8Array) => bytes,
};

/** Decodes bytes as text if they are UTF-8, because some writers do not mark text columns as text. */
export function textOrBytes(bytes: Uint8Array | undefined): string | Uint8Array | undefined {
  if (bytes === undefined || !isUtf8(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

function jsonOrBytes(bytes: Uint8Array | undefined): unknown {
  const text = textOrBytes(bytes);
  return typeof text === 'string' ? valueOfJson(text) : text;
}

/**
 * Encodes a value as JSON: numbers with all digits, times in ISO 8601.
 *
 * @param refusal makes the error for a value that JSON cannot represent, from its description
 * @throws what `refusal` returns
 */
export function toJson(value: unknown, refusal: (what: string) => Error): string {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof ExactJson) return value.json;
  if (value instanceof Uint8Array) {
    const text = textOrBytes(value);
    if (typeof text === 'string') return JSON.stringify(text);
    throw refusal('bytes');
  }
  if (value instanceof Date && Number.isNaN(value.getTime())) throw refusal('a time out of range');
  if (typeof value === 'number' && !Number.isFinite(value)) throw refusal(String(value));
  if (Object.is(value, -0)) return '-0';
  if (value instanceof Date || typeof value !== 'object' || value === null) {
    return JSON.stringify(value) ?? 'null';
  }
  const list =
    Array.isArray(value) || ArrayBuffer.isView(value) ? Array.from(value as ArrayLike<unknown>) : undefined;
  if (list !== undefined) return `[${list.map((one) => toJson(one, refusal)).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${toJson(member, refusal)}`).join(',')}}`;
}
