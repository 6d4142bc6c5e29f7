import { isUtf8 } from 'node:buffer';
import { reasonOf, ServiceError } from '../../core/errors.ts';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The bytes of a JSON text, without the byte order mark that some clients put before it. */
export function jsonBytes(bytes: Uint8Array): Buffer {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return body.subarray(0, 3).equals(BYTE_ORDER_MARK) ? body.subarray(3) : body;
}

/**
 * Parses the body of a request: JSON in UTF-8.
 *
 * @throws ServiceError `body_empty`, `body_not_utf8`, `body_not_json`
 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw new ServiceError('body_empty');
  if (!isUtf8(body)) throw new ServiceError('body_not_utf8');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new ServiceError('body_not_json', { reason: reasonOf(error) });
  }
}
