const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const WHITE_SPACE = [0x20, 0x09];

/** A line that was too long to be kept. */
export const TOO_LONG = Symbol('a line that is too long');

/** Cuts a stream of bytes into its lines, which end with LF or CRLF; lines of white space alone are skipped. */
export class LineSplitter {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #length = 0;

  /** @param limit most bytes of a line */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes of the line that is not complete yet. */
  get unfinished(): number {
    return Math.min(this.#length, this.#limit);
  }

  /** Whether the line that is not complete yet is too long already. */
  get isTooLong(): boolean {
    return this.#length > this.#limit;
  }

  /** The lines that end within these bytes, in their order. */
  push(bytes: Buffer): (Buffer | typeof TOO_LONG)[] {
    const lines: (Buffer | typeof TOO_LONG)[] = [];
    let from = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      this.#add(bytes.subarray(from, end));
      lines.push(...this.end());
      from = end + 1;
    }
    this.#add(bytes.subarray(from));
    return lines;
  }

  /** The line that the end of the stream ends, if there is one. */
  end(): (Buffer | typeof TOO_LONG)[] {
    const line = this.isTooLong ? TOO_LONG : this.#join();
    this.#parts = [];
    this.#length = 0;
    return line === TOO_LONG || !isBlank(line) ? [line] : [];
  }

  #add(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.isTooLong) this.#parts = [];
    else if (bytes.length > 0) this.#parts.push(bytes);
  }

  #join(): Buffer {
    const [first, ...others] = this.#parts;
    const line = others.length === 0 ? (first ?? Buffer.alloc(0)) : Buffer.concat(this.#parts);
    return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
  }
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => WHITE_SPACE.includes(byte));
}
