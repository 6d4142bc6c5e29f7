import { invalid, ServiceError } from '../../../core/errors.ts';
import { parseLine } from '../../engine/operations/lines.ts';
import { findMembers } from '../../engine/read/json.ts';
import type { FieldMapping, ShardRange, SourceDocument } from '../shard.ts';
import type { Storage, StoredFile } from '../storage.ts';
import { decompressed, isCompressed, Shares } from './compression.ts';
import { mapRow, neededNames, type Row } from './map-fields.ts';
import { type RangeLine, RangeLines } from './range-lines.ts';
import type { ReadOptions, SourceLines } from './reading.ts';

/** Members of a line whose fields are mapped. A document has far fewer, and finding them takes the square of it. */
const MOST_MEMBERS = 1000;
/** Bytes that are read for the end of the last line, if it is beyond the range; twice as many each time. */
const BEYOND = 64 * 1024;

/**
 * The documents of the lines of JSON that begin in a part of a file. Without a mapping they are passed on as they are, and not
 * looked into.
 */
export async function* readJsonLines(
  storage: Storage,
  { files, part }: ShardRange,
  options: ReadOptions,
): SourceLines {
  for (const file of files) {
    const shares = new Shares(file);
    for await (const lines of linesOf(storage, file, part, options)) {
      yield lines.map((line) => documentOf(line, file, shares, options));
    }
  }
}

async function* linesOf(
  storage: Storage,
  file: StoredFile,
  part: ShardRange['part'],
  options: ReadOptions,
): AsyncGenerator<RangeLine[]> {
  const range = part ?? { from: 0, to: Number.POSITIVE_INFINITY };
  const lines = new RangeLines(range, options.limit);
  const pieces = isCompressed(file.name)
    ? decompressed(file, storage.read(file), options)
    : piecesFrom(storage, file, range);
  for await (const piece of pieces) {
    yield lines.push(piece);
    if (lines.isDone) return;
  }
  yield lines.end();
}

/** The bytes of a range and of what follows it, which is asked for only as far as it is needed. */
async function* piecesFrom(
  storage: Storage,
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

function documentOf(
  { byte, size, content }: RangeLine,
  file: StoredFile,
  shares: Shares,
  { fields, limit }: ReadOptions,
): SourceDocument {
  const place = { source: file.name, byte };
  return { place, size: shares.of(size), document: lineOf(content, fields, limit) };
}

function lineOf(content: Buffer | undefined, fields: FieldMapping | undefined, limit: number) {
  if (content === undefined) return new ServiceError('line_too_large', { what: 'The document', limit });
  if (fields === undefined) return content;
  try {
    return mapRow(rowOf(content, fields), fields, true);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Values are copied as they are written, so that no number changes. */
function rowOf(line: Buffer, fields: FieldMapping): Row {
  const value = parseLine(line, 'The document');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('the line: expected an object');
  }
  const members = new Map<string, unknown>(Object.entries(value));
  const names = [...members.keys()];
  const needed = neededNames(fields, names);
  if (needed.length > MOST_MEMBERS) {
    throw invalid(
      `metadata: ${needed.length} members, over the limit of ${MOST_MEMBERS}; name those to keep`,
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
