const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const WHITE_SPACE = [0x20, 0x09];
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const NOTHING = Buffer.alloc(0);
/** Bytes around the content of a line: a byte order mark, a carriage return. */
const AROUND = 4;

/** A line of a file. */
export interface RangeLine {
  /** Where it begins in the file. */
  readonly byte: number;
  /** Bytes from the end of the line before it, which may be further away, to its own. */
  readonly size: number;
  /** Its content; undefined if that is longer than the limit. */
  readonly content: Buffer | undefined;
}

/**
 * Cuts bytes that come in pieces into the lines that begin in [from, to). Lines end with LF or CRLF; those of white space
 * alone are skipped. Ranges that touch give each line to exactly one of them.
 *
 * Bytes are pushed from `from - 1` on, in their order: a line begins in the range if the byte before it, which ends another,
 * does in what is pushed.
 */
export class RangeLines {
  readonly #to: number;
  readonly #limit: number;
  /** Where the next piece begins. */
  #at: number;
  /** Where the line begins that is not complete; it is that of another range while the first end is looked for. */
  #start: number;
  #isOthers: boolean;
  #begun: Buffer[] = [];
  #begunBytes = 0;
  /** Up to where bytes are counted. */
  #counted: number;
  #isTooLong = false;
  #isDone = false;

  /** @param limit most bytes of a line, without its end */
  constructor({ from, to }: { readonly from: number; readonly to: number }, limit: number) {
    this.#to = to;
    this.#limit = limit;
    this.#at = Math.max(0, from - 1);
    this.#start = this.#at;
    this.#counted = this.#at;
    this.#isOthers = from > 0;
    this.#isDone = from >= to;
  }

  /** Whether no line of the range is missing any more. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** The lines that end within these bytes, and one that has become too long. */
  push(piece: Buffer): RangeLine[] {
    const lines: RangeLine[] = [];
    let begin = 0;
    while (!this.#isDone) {
      const feed = piece.indexOf(LINE_FEED, begin);
      if (feed === -1) break;
      this.#complete(piece.subarray(begin, feed), this.#at + feed + 1, lines);
      begin = feed + 1;
    }
    if (!this.#isDone) this.#keep(piece.subarray(begin), lines);
    this.#at += piece.length;
    if (this.#at >= this.#to && (this.#isOthers || this.#isTooLong)) this.#isDone = true;
    return lines;
  }

  /** The line that the end of the file ends, if there is one. */
  end(): RangeLine[] {
    const lines: RangeLine[] = [];
    if (!this.#isDone && this.#at > this.#start) this.#complete(NOTHING, this.#at, lines);
    this.#isDone = true;
    return lines;
  }

  /** @param next where the next line begins */
  #complete(last: Buffer, next: number, lines: RangeLine[]): void {
    if (!this.#isOthers && !this.#isTooLong) {
      const line = this.#begun.length === 0 ? last : Buffer.concat([...this.#begun, last]);
      this.#add(this.#trimmed(line), next, lines);
    }
    if (this.#isOthers) this.#counted = next;
    this.#drop();
    this.#isTooLong = false;
    this.#isOthers = false;
    this.#start = next;
    this.#isDone = next >= this.#to;
  }

  #keep(rest: Buffer, lines: RangeLine[]): void {
    if (this.#isOthers || this.#isTooLong || rest.length === 0) return;
    this.#begun.push(rest);
    this.#begunBytes += rest.length;
    if (this.#begunBytes <= this.#limit + AROUND) return;
    this.#add(undefined, this.#start + this.#begunBytes, lines);
    this.#drop();
    this.#isTooLong = true;
  }

  #add(content: Buffer | undefined, end: number, lines: RangeLine[]): void {
    if (content !== undefined && isBlank(content)) return;
    const isLong = content !== undefined && content.length > this.#limit;
    lines.push({ byte: this.#start, size: end - this.#counted, content: isLong ? undefined : content });
    this.#counted = end;
  }

  #drop(): void {
    this.#begun = [];
    this.#begunBytes = 0;
  }

  #trimmed(line: Buffer): Buffer {
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    const hasMark = this.#start === 0 && BYTE_ORDER_MARK.equals(line.subarray(0, BYTE_ORDER_MARK.length));
    return line.subarray(hasMark ? BYTE_ORDER_MARK.length : 0, end);
  }
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => WHITE_SPACE.includes(byte));
}
