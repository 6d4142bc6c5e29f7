import { ServiceError } from '../../../core/errors.ts';
import { toJsonText } from '../../wire/json-text.ts';

/** A document as a line of a stream; each part is JSON. */
export interface LineParts {
  readonly text: Uint8Array;
  readonly id?: Uint8Array | undefined;
  readonly title?: Uint8Array | undefined;
  readonly filename?: Uint8Array | undefined;
  readonly pages?: Uint8Array | undefined;
  readonly metadata?: Uint8Array | undefined;
}

const NAMES = ['id', 'title', 'filename', 'metadata', 'pages', 'text'] as const;
const QUOTE = Buffer.from('"');

/** Writes a document as one line of JSON, without its end. */
export function documentLine(parts: LineParts): Buffer {
  const pieces: Uint8Array[] = [];
  for (const name of NAMES) {
    const json = parts[name];
    if (json !== undefined) pieces.push(Buffer.from(`${pieces.length === 0 ? '{' : ','}"${name}":`), json);
  }
  return Buffer.concat([...pieces, Buffer.from('}')]);
}

/** The JSON of a text. */
export function quoted(text: string): Buffer {
  return Buffer.concat([QUOTE, toJsonText(text), QUOTE]);
}

/**
 * The JSON of a text in UTF-8. Its bytes are copied: to decode them, escape the string and encode that takes twice as long.
 *
 * @param bytes valid UTF-8, see `isUtf8`
 */
export function quotedUtf8(bytes: Uint8Array): Buffer {
  let size = 2;
  for (let from = 0; from < bytes.length; from++) size += LENGTHS[bytes[from] as number] as number;
  const json = Buffer.allocUnsafeSlow(size)
    .fill(QUOTE, 0, 1)
    .fill(QUOTE, size - 1);
  let to = 1;
  for (let from = 0; from < bytes.length; from++) {
    const byte = bytes[from] as number;
    if (LENGTHS[byte] === 1) json[to++] = byte;
    else to += json.write(ESCAPES[byte] as string, to, 'latin1');
  }
  return json;
}

/** How each byte stands in a JSON string literal; those above ASCII are parts of characters, which stay as they are. */
const ESCAPES = Array.from({ length: 256 }, (_, byte) => {
  const text = String.fromCharCode(byte);
  return byte < 0x80 ? JSON.stringify(text).slice(1, -1) : text;
});
const LENGTHS = Uint8Array.from(ESCAPES, ({ length }) => length);

/** The JSON of an object with members whose values are JSON. */
export function jsonObject(members: readonly (readonly [name: string, json: Uint8Array])[]): Buffer {
  const pieces = members.flatMap(([name, json], index) => [
    Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`),
    json,
  ]);
  return Buffer.concat([Buffer.from('{'), ...pieces, Buffer.from('}')]);
}

/** @param problem without its full stop */
export function invalid(problem: string): ServiceError {
  return new ServiceError('invalid_parameters', { problems: [problem] });
}
