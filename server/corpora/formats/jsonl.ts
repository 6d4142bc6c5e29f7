import { invalid, ServiceError } from '../../../core/errors.ts';
import { parseLine } from '../../engine/operations/lines.ts';
import { findMembers } from '../../engine/read/json.ts';
import type {
  FieldMapping,
  RawLine,
  ReadOptions,
  ShardRange,
  SourceDocument,
  SourceLines,
} from '../shard.ts';
import type { SourceStorage, StoredFile } from '../storage/storage.ts';
import { decompressed, isCompressed, sharesOf } from './compression.ts';
import { mapRow, neededNames, orError, type Row, withoutMark } from './map-fields.ts';

/** Maximum members of a line if fields are mapped, because the search for members takes quadratic time. */
const MAX_MEMBERS = 1000;
/** Bytes to read beyond the range for the end of its last line; doubled until the end is found. */
const BEYOND = 64 * 1024;

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
): AsyncGenerator<RawLine[]> {
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

async function* piecesFrom(
  storage: SourceStorage,
  file: StoredFile,
  range: NonNullable<ShardRange['part']>,
): AsyncGenerator<Buffer> {
  let from = Math.max(0, range.from - 1);
  let to = Math.min(file.size, range.to);
  for (let beyond = BEYOND; from < to; beyond *= 2) {
    yield* storage.read(file, { from, to });
    from = to;
    to = Math.min(file.size, to + beyond);
  }
}

function lineOf(content: Buffer | undefined, { fields, limit }: ReadOptions): Buffer {
  if (content === undefined) throw new ServiceError('line_too_large', { what: 'The document', limit });
  return fields === undefined ? content : mapRow(rowOf(content, fields), fields, true);
}

/** Returns the values exactly as written in the line, so that no number changes. */
function rowOf(line: Buffer, fields: FieldMapping): Row {
  const value = parseLine(line, 'The document');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('the line is not a JSON object');
  }
  const members = new Map<string, unknown>(Object.entries(value));
  const names = [...members.keys()];
  const needed = neededNames(fields, names);
  if (needed.length > MAX_MEMBERS) {
    throw invalid(
      `metadata: ${needed.length} members, over the limit of ${MAX_MEMBERS}; name the ones to keep`,
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
const NOTHING = Buffer.alloc(0);
/** Maximum bytes around the content of a line: a byte order mark and a carriage return. */
const AROUND = 4;

/**
 * Cuts bytes into the lines that begin in [from, to). Lines end with LF or CRLF; blank lines are skipped. The
 * bytes start at `from - 1`: a line that begins exactly at `from` follows a line feed there. Each line
 * therefore belongs to exactly one of several adjacent ranges.
 */
class RangeLines {
  readonly #to: number;
  readonly #limit: number;
  #at: number;
  #start: number;
  /** The bytes of the incomplete line; undefined if the line is too long, or began before the range. */
  #begun: Buffer[] | undefined;
  /** The offset up to which bytes are included in sizes of lines; undefined before the range's first line. */
  #counted: number | undefined;
  /** Whether all lines of the range are complete. */
  isDone: boolean;

  /** @param limit maximum bytes of a line, without its line end */
  constructor({ from, to }: { readonly from: number; readonly to: number }, limit: number) {
    this.#to = to;
    this.#limit = limit;
    this.#at = Math.max(0, from - 1);
    this.#start = this.#at;
    if (from === 0) [this.#begun, this.#counted] = [[], 0];
    this.isDone = from >= to;
  }

  /** Returns the lines that end in `piece`, and a line that becomes too long in `piece`. */
  push(piece: Buffer): RawLine[] {
    const lines: RawLine[] = [];
    let begin = 0;
    while (!this.isDone) {
      const feed = piece.indexOf(LINE_FEED, begin);
      if (feed === -1) break;
      this.#complete(piece.subarray(begin, feed), this.#at + feed + 1, lines);
      begin = feed + 1;
    }
    this.#at += piece.length;
    if (!this.isDone) this.#keep(piece.subarray(begin), lines);
    return lines;
  }

  end(): RawLine[] {
    const lines: RawLine[] = [];
    if (!this.isDone && this.#at > this.#start) this.#complete(NOTHING, this.#at, lines);
    return lines;
  }

  /** @param next offset of the next line */
  #complete(last: Buffer, next: number, lines: RawLine[]): void {
    if (this.#begun !== undefined) {
      const line = this.#begun.length === 0 ? last : Buffer.concat([...this.#begun, last]);
      this.#add(this.#trimmed(line), next, lines);
    }
    this.#counted ??= next;
    this.#begun = [];
    this.#start = next;
    this.isDone = next >= this.#to;
  }

  #keep(rest: Buffer, lines: RawLine[]): void {
    if (rest.length > 0) this.#begun?.push(rest);
    if (this.#begun !== undefined && this.#at - this.#start > this.#limit + AROUND) {
      this.#add(undefined, this.#at, lines);
      this.#begun = undefined;
    }
    if (this.#begun === undefined) this.isDone = this.#at >= this.#to;
  }

  #add(content: Buffer | undefined, end: number, lines: RawLine[]): void {
    if (content !== undefined && isBlank(content)) return;
    const isLong = content !== undefined && content.length > this.#limit;
    const size = end - (this.#counted ?? this.#start);
    lines.push({ byte: this.#start, size, content: isLong ? undefined : content });
    this.#counted = end;
  }

  #trimmed(line: Buffer): Buffer {
    const content = line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
    return this.#start === 0 ? withoutMark(content) : content;
  }
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => WHITE_SPACE.includes(byte));
}
