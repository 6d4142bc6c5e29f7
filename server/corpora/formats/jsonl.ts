import { invalid, ServiceError } from '../../../core/errors.ts';
import { parseLine } from '../../engine/operations/lines.ts';
import { findMembers } from '../../engine/read/json.ts';
import type { FieldMapping, ShardRange, SourceDocument } from '../shard.ts';
import type { SourceStorage, StoredFile } from '../storage/storage.ts';
import { decompressed, isCompressed, sharesOf } from './compression.ts';
import { mapRow, neededNames, orError, type Row } from './map-fields.ts';
import type { ReadOptions, SourceLines } from './reading.ts';

/**
 * Maximum members of a line with a field mapping. Documents have far fewer, and finding them takes quadratic time.
 */
const MOST_MEMBERS = 1000;
/** Bytes that are read to find the end of the last line, if it is beyond the range; doubled each time. */
const BEYOND = 64 * 1024;

/**
 * The documents in the lines of JSON that begin in a part of a file. Without a mapping they are passed on unparsed.
 */
export async function* readJsonLines(
  storage: SourceStorage,
  { files, part }: ShardRange,
  options: ReadOptions,
): SourceLines {
  for (const file of files) {
    const share = sharesOf(file);
    for await (const lines of linesOf(storage, file, part, options)) {
      yield lines.map(
        ({ byte, size, content }): SourceDocument => ({
          place: { source: file.name, byte },
          size: share(size),
          document: orError(() => lineOf(content, options)),
        }),
      );
    }
  }
}

async function* linesOf(
  storage: SourceStorage,
  file: StoredFile,
  part: ShardRange['part'],
  options: ReadOptions,
): AsyncGenerator<RangeLine[]> {
  const range = part ?? { from: 0, to: Number.POSITIVE_INFINITY };
  const lines = new RangeLines(range, options.limit);
  const pieces = isCompressed(file.name)
    ? decompressed(file, storage.read(file), options.limit)
    : piecesFrom(storage, file, range);
  for await (const piece of pieces) {
    yield lines.push(piece);
    if (lines.isDone) return;
  }
  yield lines.end();
}

/** The bytes of a range and of what follows it, read only as far as needed. */
async function* piecesFrom(
  storage: SourceStorage,
  file: StoredFile,
  range: NonNullable<ShardRange['part']>,
): AsyncGenerator<Buffer> {
  let from = Math.max(0, range.from - 1);
  let to = Math.min(file.size, range.to);
  for (let beyond = BEYOND; from < to; beyond *= 2) {
    yield* storage.read(file, { from, to });
    [from, to] = [to, Math.min(file.size, to + beyond)];
  }
}

function lineOf(content: Buffer | undefined, { fields, limit }: ReadOptions): Buffer {
  if (content === undefined) throw new ServiceError('line_too_large', { what: 'The document', limit });
  return fields === undefined ? content : mapRow(rowOf(content, fields), fields, true);
}

/** Values are copied as written, so that no number changes. */
function rowOf(line: Buffer, fields: FieldMapping): Row {
  const value = parseLine(line, 'The document');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('the line is not a JSON object');
  }
  const members = new Map<string, unknown>(Object.entries(value));
  const names = [...members.keys()];
  const needed = neededNames(fields, names);
  if (needed.length > MOST_MEMBERS) {
    throw invalid(
      `metadata: ${needed.length} members, over the limit of ${MOST_MEMBERS}; name the ones to keep`,
    );
  }
  const places = findMembers(line, 0, needed);
  const jsons = new Map(needed.map((name, index) => [name, places[index]]));
  return {
    names,
    value: (name) => members.get(name),
    json(name) {
      const place = jsons.get(name);
      return line.subarray(place?.from, place?.to);
    },
  };
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const WHITE_SPACE = [0x20, 0x09];
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const NOTHING = Buffer.alloc(0);
/** Bytes around the content of a line: a byte order mark, a carriage return. */
const AROUND = 4;

/** A line of a file. */
interface RangeLine {
  /** Where it begins in the file. */
  readonly byte: number;
  /** Bytes from the end of the previous line, which may be further away, to its own. */
  readonly size: number;
  /** Its content; undefined if it is longer than the limit. */
  readonly content: Buffer | undefined;
}

/**
 * Cuts bytes that arrive in pieces into the lines that begin in [from, to). Lines end with LF or CRLF; blank lines
 * are skipped. Adjacent ranges give each line to exactly one of them.
 * Bytes are pushed in order from `from - 1` on: a line begins in the range if the byte before it, which ends the
 * previous line, is among the pushed bytes.
 */
class RangeLines {
  readonly #to: number;
  readonly #limit: number;
  /** Where the next piece begins. */
  #at: number;
  /** Where the incomplete line begins; it belongs to the previous range until the first line end is found. */
  #start: number;
  #isOthers: boolean;
  #begun: Buffer[] = [];
  #begunBytes = 0;
  /** Up to where bytes are counted. */
  #counted: number;
  #isTooLong = false;
  #isDone = false;

  /** @param limit maximum bytes of a line, without its end */
  constructor({ from, to }: { readonly from: number; readonly to: number }, limit: number) {
    this.#to = to;
    this.#limit = limit;
    this.#at = Math.max(0, from - 1);
    this.#start = this.#at;
    this.#counted = this.#at;
    this.#isOthers = from > 0;
    this.#isDone = from >= to;
  }

  /** Whether all lines of the range are complete. */
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

  /** The line that is completed by the end of the file, if there is one. */
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
