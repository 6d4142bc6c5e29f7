import { isUtf8 } from 'node:buffer';
import type { ParquetParsers } from 'hyparquet';
import { invalid } from '../../../../core/errors.ts';

/** Nothing is lost in decoding: bytes that do not match their schema stay bytes. */
export const PARSERS: Partial<ParquetParsers> = {
  stringFromBytes: textOrBytes,
  jsonFromBytes: jsonOrBytes,
  geometryFromBytes: (bytes: Uint8Array) => bytes,
  geographyFromBytes: (bytes: Uint8Array) => bytes,
};

/** The text of bytes that are UTF-8; writers do not mark all texts as such. */
export function textOrBytes(bytes: Uint8Array | undefined): string | Uint8Array | undefined {
  if (bytes === undefined || !isUtf8(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

function jsonOrBytes(bytes: Uint8Array | undefined): unknown {
  const text = textOrBytes(bytes);
  try {
    return typeof text === 'string' ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

/**
 * The JSON of a value: integers with all their digits, times in ISO 8601.
 *
 * @param name of its column, for the error
 * @throws ServiceError `invalid_parameters` if it contains bytes that are not text
 */
export function toJson(value: unknown, name: string): string {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) {
    const text = textOrBytes(value);
    if (typeof text === 'string') return JSON.stringify(text);
    throw invalid(
      `${name}: it holds bytes, which JSON cannot represent; exclude it by naming the metadata to keep`,
    );
  }
  if (value instanceof Date || typeof value !== 'object' || value === null) {
    return JSON.stringify(value) ?? 'null';
  }
  const list =
    Array.isArray(value) || ArrayBuffer.isView(value) ? Array.from(value as ArrayLike<unknown>) : undefined;
  if (list !== undefined) return `[${list.map((one) => toJson(one, name)).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${toJson(member, name)}`).join(',')}}`;
}
