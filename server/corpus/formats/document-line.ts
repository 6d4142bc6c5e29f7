import type {} from '../../../core/errors.ts';
import { toJsonText } from '../../engine/read/json.ts';

const NAMES = ['id', 'title', 'filename', 'metadata', 'pages', 'text'] as const;

/** A document as a line of a stream; each part is JSON. */
export type LineParts = { readonly [N in (typeof NAMES)[number]]?: Uint8Array | undefined };

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
 * The JSON of a text in UTF-8. Each byte is taken for a character, of which JSON escapes none above ASCII: that is three times
 * as fast as to decode the text and encode its JSON.
 *
 * @param bytes valid UTF-8, see `isUtf8`
 */
export function quotedUtf8(bytes: Buffer): Buffer {
  return Buffer.from(JSON.stringify(bytes.toString('latin1')), 'latin1');
}

/** The JSON of an object with members whose values are JSON. */
export function jsonObject(members: readonly (readonly [name: string, json: Uint8Array])[]): Buffer {
  const pieces = members.flatMap(([name, json], index) => [
    Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`),
    json,
  ]);
  return Buffer.concat([Buffer.from('{'), ...pieces, Buffer.from('}')]);
}
