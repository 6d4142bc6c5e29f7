import { ServiceError } from '../../../core/errors.ts';

export type Line = Buffer | ServiceError;

export interface LineReaderOptions {
  readonly limit: number;
  /** Whether a line that is too long ends the stream. Set it for decompressed data, which may be endless. */
  readonly isStrict: boolean;
  /** Called and awaited before each read, which makes the sender wait. @throws an error that ends the stream */
  beforeReading(): Promise<void>;
}

export abstract class LineSource {
  readonly #lines: Line[] = [];
  #bytes = 0;
  /** Whether the source has been read to its end. Lines may still wait to be taken. */
  isOver = false;

  get waiting(): number {
    return this.#lines.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Waits for more lines or the end. @throws errors of the source */
  abstract read(): Promise<void>;

  /**
   * Takes up to `most` lines and `maxBytes` bytes, but at least one line. An unreadable line is taken alone.
   */
  take(most: number, maxBytes: number): Line[] {
    const taken = this.#lines.splice(0, countToTake(this.#lines, most, maxBytes));
    for (const line of taken) this.#bytes -= sizeOf(line);
    return taken;
  }

  protected add(line: Line): void {
    this.#lines.push(line);
    this.#bytes += sizeOf(line);
  }
}

function countToTake(lines: readonly Line[], most: number, maxBytes: number): number {
  let count = 0;
  let bytes = 0;
  for (const line of lines) {
    bytes += sizeOf(line);
    if (count > 0 && (count === most || bytes > maxBytes || !Buffer.isBuffer(line))) break;
    count++;
    if (!Buffer.isBuffer(line)) break;
  }
  return count;
}

export class LineList extends LineSource {
  constructor(lines: Iterable<Line>) {
    super();
    for (const line of lines) this.add(line);
    this.isOver = true;
  }

  async read(): Promise<void> {}
}

/** Reads the lines of a stream of bytes, and no more than requested. */
export class LineReader extends LineSource {
  readonly #source: AsyncIterator<Buffer>;
  readonly #splitter: LineSplitter;
  readonly #options: LineReaderOptions;
  #failure: { readonly error: unknown } | undefined;
  #interrupt: (error: unknown) => void = () => {};

  /** @param source yields bytes; stays open unless it is read to its end */
  constructor(source: AsyncIterator<Buffer>, options: LineReaderOptions) {
    super();
    this.#source = source;
    this.#options = options;
    this.#splitter = new LineSplitter(options.limit);
  }

  get limit(): number {
    return this.#options.limit;
  }

  override get bytes(): number {
    return super.bytes + this.#splitter.unfinished;
  }

  /**
   * Waits until more bytes have arrived, perhaps less than a line, or until the stream has ended.
   *
   * @throws ServiceError `line_too_large`, if a line that is too long ends the stream
   * @throws errors of the source and `beforeReading`
   */
  async read(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    await this.#options.beforeReading();
    const { done, value } = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
      this.#interrupt = reject;
      this.#source.next().then(resolve, reject);
    });
    if (done) this.isOver = true;
    for (const read of done ? this.#splitter.end() : this.#splitter.push(value)) {
      if (read === TOO_LONG && this.#options.isStrict) throw tooLong(this.limit);
      this.add(read === TOO_LONG ? tooLong(this.limit) : read);
    }
    if (this.#options.isStrict && this.#splitter.isTooLong) throw tooLong(this.limit);
  }

  /** Makes `read` throw from now on. Lines that were read can still be taken. */
  stop(error: unknown): void {
    this.#failure ??= { error };
    this.#interrupt(error);
  }
}

export function tooLong(limit: number, what = 'The document'): ServiceError {
  return new ServiceError('line_too_large', { what, limit });
}

export function sizeOf(line: Line): number {
  return Buffer.isBuffer(line) ? line.length : 0;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const WHITE_SPACE = [0x20, 0x09];
const NOTHING = Buffer.alloc(0);

export const TOO_LONG = Symbol('a line that is too long');

/** Splits a stream of bytes into lines that end with LF or CRLF. Lines of only white space are skipped. */
export class LineSplitter {
  readonly #limit: number;
  /** The beginning of an incomplete line, unless the line is too long. All its pieces are copied into one buffer. */
  #begun: Buffer = NOTHING;
  #length = 0;

  /** @param limit maximum bytes of a line, without its line break */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get unfinished(): number {
    return this.isTooLong ? 0 : this.#length;
  }

  get isTooLong(): boolean {
    return this.#length > this.#limit + 1;
  }

  push(bytes: Buffer): (Buffer | typeof TOO_LONG)[] {
    const lines: (Buffer | typeof TOO_LONG)[] = [];
    let from = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      lines.push(...this.#complete(bytes.subarray(from, end)));
      from = end + 1;
    }
    this.#add(bytes.subarray(from));
    return lines;
  }

  end(): (Buffer | typeof TOO_LONG)[] {
    return this.#complete(NOTHING);
  }

  #complete(last: Buffer): (Buffer | typeof TOO_LONG)[] {
    if (this.#length > 0) this.#add(last);
    const line = this.#length === 0 ? last : this.#begun.subarray(0, this.#length);
    const isTooLong = this.isTooLong;
    this.#begun = NOTHING;
    this.#length = 0;
    const content = line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
    if (isTooLong || content.length > this.#limit) return [TOO_LONG];
    return isBlank(content) ? [] : [content];
  }

  #add(bytes: Buffer): void {
    const from = this.#length;
    this.#length += bytes.length;
    if (this.isTooLong) {
      this.#begun = NOTHING;
      return;
    }
    if (this.#length > this.#begun.length) this.#begun = grown(this.#begun, this.#length);
    this.#begun.set(bytes, from);
  }
}

/** Copies the bytes into a buffer of at least double size, so that a line in many pieces is rarely copied. */
function grown(bytes: Buffer, least: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(least, 2 * bytes.length));
  larger.set(bytes);
  return larger;
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => WHITE_SPACE.includes(byte));
}
