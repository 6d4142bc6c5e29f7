import type { ReadContext, Reader, SourceFile } from '../../../core/kit.ts';
import { encodingOfMark } from '../../toolkit/encoding-of-mark.ts';
import { decodedAs, fittingCharset } from '../../toolkit/mime/index.ts';

export interface BodyReaders {
  readonly html: Reader;
  readonly rtf: Reader;
  readonly text: Reader;
}

const WIDE = /^(?:utf-?16|ucs-2|unicode)/i;

/** Escapes of ISO-2022-JP, which is ASCII and therefore valid UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const SWITCHES = /\u001b\$[@B]/;

/** Reads the bodies of messages with the readers of HTML and text, which also detect encodings. */
export class Bodies {
  readonly #readers: BodyReaders;
  readonly #context: ReadContext;
  readonly #count: (kind: string, more: number) => void;

  constructor(readers: BodyReaders, context: ReadContext, count: (kind: string, more: number) => void) {
    this.#readers = readers;
    // What these readers report is about a part, not the file.
    this.#context = { ...context, options: {}, report: () => {} };
    this.#count = count;
  }

  /** HTML as Markdown. @throws Error for callers if it cannot be read */
  async html(bytes: Uint8Array, declared: string | undefined): Promise<string> {
    const given = withoutNuls(bytes, declared);
    const charset = fittingCharset(given, declared);
    try {
      if (charset !== 'utf-7') return await this.#page(given, charset);
    } catch (error) {
      if (charset !== undefined || !isRefusal(error)) throw error;
    }
    return this.#page(Buffer.from(await this.text(given, declared)), 'utf-8');
  }

  /** Text in the declared encoding if the bytes are valid in it, otherwise in the encoding that is detected. */
  async text(bytes: Uint8Array, declared: string | undefined): Promise<string> {
    const given = withoutNuls(bytes, declared);
    const charset = fittingCharset(given, declared);
    const text = charset === undefined ? undefined : decodedAs(given, charset);
    if (text !== undefined) return text.toWellFormed();
    const almost = almostUtf8(given);
    if (almost !== undefined) this.#count('invalid_byte', almost.invalid);
    if (almost !== undefined && !SWITCHES.test(almost.text)) return almost.text;
    try {
      const file = { bytes: given, name: undefined, mediaType: 'text/plain', charset: undefined };
      return (await this.#readers.text.read(file, this.#context)).text;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return decodedAs(given, 'windows-1252') ?? '';
    }
  }

  /** RTF as Markdown. @throws Error for callers if it cannot be read */
  async rtf(bytes: Uint8Array): Promise<string> {
    const file = { bytes, name: undefined, mediaType: 'application/rtf', charset: undefined };
    return (await this.#readers.rtf.read(file, this.#context)).text;
  }

  async #page(bytes: Uint8Array, charset: string | undefined): Promise<string> {
    const file: SourceFile = { bytes, name: undefined, mediaType: 'text/html', charset };
    return (await this.#readers.html.read(file, this.#context)).text;
  }
}

export function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && error.statusCode === 400;
}

function withoutNuls(bytes: Uint8Array, declared = ''): Uint8Array {
  const isWide = WIDE.test(declared.trim()) || encodingOfMark(bytes)?.startsWith('utf-16') === true;
  return isWide || !bytes.includes(0) ? bytes : bytes.filter((byte) => byte !== 0);
}

/** Minimum characters of UTF-8 for each invalid byte. */
const MIN_VALID = 4;
/** Characters of UTF-8 with more than one byte (Unicode 16, table 3-7), or else a byte above 7 bits. */
const PIECE =
  /([\u00c2-\u00df][\u0080-\u00bf]|\u00e0[\u00a0-\u00bf][\u0080-\u00bf]|\u00ed[\u0080-\u009f][\u0080-\u00bf]|[\u00e1-\u00ec\u00ee\u00ef][\u0080-\u00bf]{2}|\u00f0[\u0090-\u00bf][\u0080-\u00bf]{2}|[\u00f1-\u00f3][\u0080-\u00bf]{3}|\u00f4[\u0080-\u008f][\u0080-\u00bf]{2})|[\u0080-\u00ff]/g;

/**
 * Text in UTF-8 with few invalid bytes, such as a quotation cut within a character. Invalid bytes are read as
 * windows-1252. Undefined if the text has another encoding.
 */
function almostUtf8(bytes: Uint8Array): { text: string; invalid: number } | undefined {
  const whole = decodedAs(bytes, 'utf-8');
  if (whole !== undefined) return { text: whole, invalid: 0 };
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  let valid = 0;
  let invalid = 0;
  const repaired = source.replace(PIECE, (piece, character: string | undefined) => {
    if (character !== undefined) valid++;
    else invalid++;
    return character ?? repairs.get(piece) ?? '';
  });
  if (valid < invalid * MIN_VALID) return undefined;
  return { text: Buffer.from(repaired, 'latin1').toString(), invalid };
}

/** The UTF-8 bytes of each byte above 7 bits in windows-1252, as characters. */
const repairs = new Map(
  Array.from({ length: 128 }, (_, index) => {
    const byte = Uint8Array.of(index + 128);
    const text = decodedAs(byte, 'windows-1252') ?? '';
    return [String.fromCharCode(index + 128), Buffer.from(text).toString('latin1')] as const;
  }),
);
