import type { ReadContext, Reader, Report, SourceFile } from '../../../core/kit.ts';
import { encodingOfMark } from '../../toolkit/encoding-of-mark.ts';
import { reportInferred } from '../../toolkit/encodings/index.ts';
import { decodedAs, fittingCharset } from '../../toolkit/mime/index.ts';

export interface BodyReaders {
  readonly html: Reader;
  readonly rtf: Reader;
  readonly text: Reader;
}

const WIDE = /^(?:utf-?16|ucs-2|unicode)/i;

/** Reads the bodies of messages with the readers of HTML and text, which also detect encodings. */
export class Bodies {
  readonly #readers: BodyReaders;
  readonly #context: ReadContext;
  readonly #report: Report;
  #confidence = 1;
  #oddBytes = 0;

  constructor(readers: BodyReaders, context: ReadContext) {
    this.#readers = readers;
    this.#report = context.report;
    this.#context = { ...context, options: {}, report: (name, value) => this.#add(name, value) };
  }

  /** Reports inferred encodings for the whole file. What else the readers report is about a part. */
  #add(name: string, value: string): void {
    if (name === 'source-encoding-confidence') this.#confidence = Math.min(this.#confidence, Number(value));
    else if (name === 'source-odd-bytes') this.#oddBytes += Number(value);
    else return;
    reportInferred(this.#report, { confidence: this.#confidence, odd: this.#oddBytes });
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
    try {
      const file = { bytes: given, name: undefined, mediaType: 'text/plain', charset: undefined };
      return (await this.#readers.text.read(file, this.#context)).text;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#add('source-encoding-confidence', '0');
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
