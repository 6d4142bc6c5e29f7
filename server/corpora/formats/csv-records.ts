import type { RawLine } from './reading.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const NOTHING = Buffer.alloc(0);

/**
 * Cuts bytes that arrive in pieces into CSV records, which end with LF or CRLF outside quotes. A field is quoted if
 * it begins with a quote; other quotes are ordinary characters. Empty records are skipped.
 */
export class CsvRecords {
  readonly #limit: number;
  #delimiters: readonly number[];
  /** The bytes not taken yet, and the buffer that contains them; it grows to twice its size. */
  #kept: Buffer = NOTHING;
  #room: Buffer = NOTHING;
  #keptTo = 0;
  /** The next known line feed; the length if there is none. */
  #feed = -1;
  /** How far it has been scanned, and whether that position is within quotes. */
  #seen = 0;
  #isQuoted = false;
  /** Bytes of the record that were dropped because it is too long. */
  #dropped = 0;
  #byte = 0;

  /** @param delimiters the possible delimiters */
  constructor(limit: number, delimiters: readonly number[]) {
    this.#limit = limit;
    this.#delimiters = delimiters;
  }

  /** The possible delimiters, once more is known about them. */
  set delimiters(delimiters: readonly number[]) {
    this.#delimiters = delimiters;
  }

  /** Bytes kept of an incomplete record. */
  get kept(): number {
    return this.#kept.length;
  }

  add(piece: Buffer): void {
    const length = this.#kept.length + piece.length;
    if (this.#keptTo + piece.length > this.#room.length) {
      this.#room = Buffer.allocUnsafeSlow(this.#kept.length === 0 ? length : 2 * length);
      this.#room.set(this.#kept);
      this.#keptTo = this.#kept.length;
    }
    this.#room.set(piece, this.#keptTo);
    this.#keptTo += piece.length;
    this.#kept = this.#room.subarray(this.#keptTo - length, this.#keptTo);
    this.#feed = -1;
  }

  /** Takes the next record; undefined if more of the file is needed, or nothing is left. */
  take(isEnd: boolean): RawLine | undefined {
    for (;;) {
      const end = this.#findEnd(isEnd);
      if (end === undefined) {
        this.#dropIfTooLong();
        return undefined;
      }
      const record = this.#cut(end, Math.min(end + 1, this.#kept.length));
      if (record.content?.length !== 0) return record;
    }
  }

  /** Index of the line feed that ends the record, or of the end of the file. */
  #findEnd(isEnd: boolean): number | undefined {
    const { length } = this.#kept;
    while (this.#seen < length) {
      if (this.#isQuoted) {
        if (!this.#passQuoted(isEnd)) return undefined;
        continue;
      }
      const feed = this.#nextFeed();
      const quote = this.#findOpening(feed);
      if (quote !== undefined) [this.#seen, this.#isQuoted] = [quote + 1, true];
      else if (feed < length) return feed;
      else this.#seen = length;
    }
    return isEnd && length > 0 ? length : undefined;
  }

  /** @returns false if the byte after a quote is needed to tell whether the quote is escaped */
  #passQuoted(isEnd: boolean): boolean {
    const quote = this.#kept.indexOf(QUOTE, this.#seen);
    const isLast = quote === this.#kept.length - 1;
    if (quote === -1) this.#seen = this.#kept.length;
    else if (isLast && !isEnd) this.#seen = quote;
    else if (this.#kept[quote + 1] === QUOTE) this.#seen = afterPairs(this.#kept, quote);
    else [this.#seen, this.#isQuoted] = [quote + 1, false];
    return quote === -1 || !isLast || isEnd;
  }

  #nextFeed(): number {
    if (this.#feed < this.#seen) {
      const feed = this.#kept.indexOf(LINE_FEED, this.#seen);
      this.#feed = feed === -1 ? this.#kept.length : feed;
    }
    return this.#feed;
  }

  /** The next quote before `to` that begins a field. */
  #findOpening(to: number): number | undefined {
    const line = this.#kept.subarray(0, to);
    for (let quote = line.indexOf(QUOTE, this.#seen); quote !== -1; quote = line.indexOf(QUOTE, quote + 1)) {
      const before = line[quote - 1];
      if (this.#isFirst(quote) || (before !== undefined && this.#delimiters.includes(before))) return quote;
    }
    return undefined;
  }

  /** Whether this is the first byte of the record. */
  #isFirst(at: number): boolean {
    const isMarked = this.#byte === 0 && at === BYTE_ORDER_MARK.length;
    if (isMarked && BYTE_ORDER_MARK.equals(this.#kept.subarray(0, at))) return this.#dropped === 0;
    return at === 0 && this.#dropped === 0;
  }

  #cut(end: number, next: number): RawLine {
    const bytes = this.#kept;
    const last = end > 0 && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
    const isTooLong = this.#dropped > 0 || last > this.#limit;
    const size = this.#dropped + next;
    const record = { byte: this.#byte, size, content: isTooLong ? undefined : bytes.subarray(0, last) };
    this.#kept = bytes.subarray(next);
    this.#feed = -1;
    this.#byte += size;
    [this.#seen, this.#dropped, this.#isQuoted] = [0, 0, false];
    return record;
  }

  /** Keeps only the last bytes of a record that is too long, which determine how to continue. */
  #dropIfTooLong(): void {
    if (this.#kept.length <= this.#limit + 2) return;
    const from = Math.max(this.#seen - 1, 0);
    this.#dropped += from;
    this.#kept = this.#kept.subarray(from);
    this.#feed = -1;
    this.#seen -= from;
  }
}

/**
 * The fields of a CSV record, treating each byte as a character: nothing is decoded that is only passed on. A quote
 * within a field that does not begin with one is an ordinary character.
 * No library does this: csv-parse 7.0.3 loses the rows after a record that is too long (`max_record_size` with
 * `skip_records_with_error`), buffers everything after an open quote regardless of that limit, has no setting under
 * which `5" pipe` is text and `"x"y` an error, and increases the processor time of chunking a whole file by a factor
 * of 1.2 to 1.6.
 *
 * @param record UTF-8, without its end
 * @param delimiter one byte
 * @returns undefined if a quoted field is not closed, or continues after its closing quote
 */
export function csvFields(record: Buffer, delimiter: number): string[] | undefined {
  const fields: string[] = [];
  for (let at = 0; at <= record.length; ) {
    const isQuoted = record[at] === QUOTE;
    const end = isQuoted ? endOfQuoted(record, at + 1) + 1 : endOfPlain(record, at, delimiter);
    if (isQuoted && (end === 0 || (end < record.length && record[end] !== delimiter))) return undefined;
    fields.push(isQuoted ? unquoted(record.subarray(at + 1, end - 1)) : record.toString('latin1', at, end));
    at = end + 1;
  }
  return fields;
}

/** Index of the quote that closes a field; two consecutive quotes are an escaped one. */
function endOfQuoted(record: Buffer, from: number): number {
  let quote = record.indexOf(QUOTE, from);
  while (quote !== -1 && record[quote + 1] === QUOTE)
    quote = record.indexOf(QUOTE, afterPairs(record, quote));
  return quote;
}

/** Index after the pairs of quotes that begin here. Checked one by one, since a file may consist of quotes only. */
function afterPairs(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === QUOTE && bytes[at + 1] === QUOTE) at += 2;
  return at;
}

/** The text between the quotes of a field. */
function unquoted(bytes: Buffer): string {
  if (!bytes.includes(QUOTE)) return bytes.toString('latin1');
  const text = Buffer.allocUnsafeSlow(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    text[length++] = bytes[at] as number;
    if (bytes[at] === QUOTE) at++;
  }
  return text.toString('latin1', 0, length);
}

function endOfPlain(record: Buffer, from: number, delimiter: number): number {
  const end = record.indexOf(delimiter, from);
  return end === -1 ? record.length : end;
}
