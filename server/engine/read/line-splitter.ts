const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const WHITE_SPACE = [0x20, 0x09];
const NOTHING = Buffer.alloc(0);

/** A line that was too long to keep. */
export const TOO_LONG = Symbol('a line that is too long');

/** Cuts a stream of bytes into lines, which end with LF or CRLF; lines of only white space are skipped. */
export class LineSplitter {
  readonly #limit: number;
  /** The beginning of the incomplete line, unless it is too long. One buffer, however small the pieces. */
  #begun: Buffer = NOTHING;
  #length = 0;

  /** @param limit maximum bytes of a line, without its end */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes of the incomplete line. */
  get unfinished(): number {
    return this.isTooLong ? 0 : this.#length;
  }

  /** Whether the incomplete line is already too long. */
  get isTooLong(): boolean {
    return this.#length > this.#limit + 1;
  }

  /** The lines that end within these bytes, in order. */
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

  /** The last line, completed by the end of the stream, if there is one. */
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

/**
 * The same bytes with room for as many again, so that a line that comes in many pieces is copied only a few times.
 */
function grown(bytes: Buffer, least: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(least, 2 * bytes.length));
  larger.set(bytes);
  return larger;
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => WHITE_SPACE.includes(byte));
}
