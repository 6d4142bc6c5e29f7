import { closeSync, createReadStream, existsSync, openSync, readSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { invalid, reasonOf } from '../../../core/errors.ts';
import { hold } from '../../../core/hold.ts';
import { UsageError } from '../../cli/errors.ts';
import { LineSplitter } from '../../engine/run/line-reader.ts';
import { type ChunkedDocument, type ChunkedDocuments, withLines } from '../chunk-documents.ts';
import { MANIFEST } from '../jobs/job-folder.ts';
import type { Manifest } from '../jobs/job-output.ts';
import { idsLineOf } from '../jobs/part-files.ts';
import { placeInWords } from '../shard.ts';

/** The file that a run with `--since` writes: the chunk ids that failed documents keep. */
export const KEPT = 'kept.jsonl';

export interface ChangeCounts {
  added: number;
  unchanged: number;
  deleted: number;
}

/** The index of the documents of an earlier run: 28 bytes for each. Plain data that threads share. */
export interface EarlierIndex {
  /** The files whose lines have the ids. */
  readonly paths: readonly string[];
  /** For each document: the file, offset and length of its line, and a hash of its id. */
  readonly files: Uint32Array;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
  readonly hashes: Uint32Array;
  /** Numbers of documents, plus 1, by their hashes; 0 where there is none. */
  readonly slots: Uint32Array;
  /** 1 for each document that exists in the current run. */
  readonly seen: Uint8Array;
}

/** The chunk ids of an earlier run. Memory holds only the position of each document's line. */
export class EarlierIds {
  readonly index: EarlierIndex;
  readonly #files: readonly number[];

  /** @param index from another `EarlierIds`, perhaps of another thread */
  constructor(index: EarlierIndex) {
    this.index = index;
    this.#files = index.paths.map((path) => openSync(path, 'r'));
  }

  /**
   * @param path the folder or manifest of a run, or a file that `--manifest` wrote
   * @throws UsageError for any other `path`
   */
  static async open(path: string): Promise<EarlierIds> {
    const builder = new IndexBuilder();
    try {
      for (const file of await idsFiles(path)) await builder.add(file);
      return new EarlierIds(builder.build());
    } catch (error) {
      throw new UsageError(`--since ${path}: it was not written by an earlier run: ${reasonOf(error)}`);
    }
  }

  /** The ids of the chunks that a document had; empty if it is new. */
  idsOf(documentId: string): readonly string[] {
    const found = this.#find(documentId);
    return found === undefined ? [] : this.#line(found).chunks;
  }

  /** Notes that a document exists in the current run. */
  see(documentId: string): void {
    const found = this.#find(documentId);
    if (found !== undefined) this.index.seen[found] = 1;
  }

  #find(documentId: string): number | undefined {
    return findDocument(this.index, documentId, (at) => this.#line(at).document_id);
  }

  #line(at: number): IdsLine {
    const { files, offsets, lengths } = this.index;
    return readLine(this.#files[files[at] as number] as number, offsets[at] as number, lengths[at] as number);
  }

  /**
   * Compares a document with the earlier run.
   *
   * @param ids of the current chunks
   * @returns whether each current chunk existed before, in order, and the ids of chunks that no longer exist
   */
  changesOf(documentId: string, ids: readonly string[]) {
    const before = new Set(this.idsOf(documentId));
    const isOld = ids.map((id) => before.has(id));
    return { isOld, deleted: [...before.difference(new Set(ids))] };
  }

  /**
   * Yields lines for the deleted chunks of documents that were not seen. If documents without known ids
   * failed, any missing document may be one of them. Then no document counts as deleted.
   *
   * @param unknown number of documents that failed without an id
   * @param counts is increased by the deleted chunks
   * @param keep receives the line of each missing document that keeps its chunks
   */
  *vanished(unknown: number, counts: ChangeCounts, keep: (line: string) => void): Generator<string> {
    if (unknown > 0) console.error(unknownVanished(unknown));
    for (const [at, isSeen] of this.index.seen.entries()) {
      if (isSeen === 1) continue;
      const { document_id: documentId, chunks: ids } = this.#line(at);
      if (unknown > 0) keep(idsLineOf(documentId, ids));
      else {
        counts.deleted += ids.length;
        yield deletedLines(ids, documentId);
      }
    }
  }

  close(): void {
    this.#files.forEach(closeSync);
  }
}

interface IdsLine {
  readonly document_id: string;
  readonly chunks: readonly string[];
}

function readLine(file: number, offset: number, length: number): IdsLine {
  const line = Buffer.alloc(length);
  readSync(file, line, 0, length, offset);
  return JSON.parse(line.toString()) as IdsLine;
}

/** @param idOf gives the id of a document by its number */
function findDocument(
  { slots, hashes }: Pick<EarlierIndex, 'slots' | 'hashes'>,
  documentId: string,
  idOf: (at: number) => string,
): number | undefined {
  const hash = hashOf(documentId);
  for (let slot = hash % slots.length; slots[slot] !== 0; slot = (slot + 1) % slots.length) {
    const at = (slots[slot] as number) - 1;
    if (hashes[at] === hash && idOf(at) === documentId) return at;
  }
  return undefined;
}

const PRIME = 0x01000193;
const BASIS = 0x811c9dc5;

/** FNV-1a over the UTF-16 code units. */
function hashOf(text: string): number {
  let hash = BASIS;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return hash >>> 0;
}

const MIN_ROOM = 1024;

/** Indexes the lines of files. The last line of a document counts. */
class IndexBuilder {
  readonly #paths: string[] = [];
  #count = 0;
  #files = new Uint32Array(MIN_ROOM);
  #offsets = new Float64Array(MIN_ROOM);
  #lengths = new Uint32Array(MIN_ROOM);
  #hashes = new Uint32Array(MIN_ROOM);
  #slots = new Uint32Array(2 * MIN_ROOM);

  async add(path: string): Promise<void> {
    this.#paths.push(path);
    const splitter = new LineSplitter(Number.POSITIVE_INFINITY);
    let offset = 0;
    const take = (lines: ReturnType<LineSplitter['push']>) => {
      for (const line of lines as Buffer[]) {
        const { document_id } = JSON.parse(line.toString()) as { readonly document_id?: unknown };
        if (document_id === undefined) throw new Error('a line has no document_id');
        if (typeof document_id === 'string') this.#put(document_id, offset, line.length);
        offset += line.length + 1;
      }
    };
    for await (const piece of hold(createReadStream(path))) take(splitter.push(piece as Buffer));
    take(splitter.end());
  }

  build(): EarlierIndex {
    const count = this.#count;
    return {
      paths: this.#paths,
      files: shared(Uint32Array, this.#files.subarray(0, count)),
      offsets: shared(Float64Array, this.#offsets.subarray(0, count)),
      lengths: shared(Uint32Array, this.#lengths.subarray(0, count)),
      hashes: shared(Uint32Array, this.#hashes.subarray(0, count)),
      slots: shared(Uint32Array, this.#slots),
      seen: shared(Uint8Array, new Uint8Array(count)),
    };
  }

  #put(documentId: string, offset: number, length: number): void {
    const index = { slots: this.#slots, hashes: this.#hashes };
    const at = findDocument(index, documentId, (other) => this.#idOf(other)) ?? this.#new(hashOf(documentId));
    this.#files[at] = this.#paths.length - 1;
    this.#offsets[at] = offset;
    this.#lengths[at] = length;
  }

  #new(hash: number): number {
    if (this.#count === this.#hashes.length) this.#grow();
    this.#hashes[this.#count] = hash;
    fill(this.#slots, hash, ++this.#count);
    return this.#count - 1;
  }

  #grow(): void {
    const room = 2 * this.#count;
    this.#files = copied(new Uint32Array(room), this.#files);
    this.#offsets = copied(new Float64Array(room), this.#offsets);
    this.#lengths = copied(new Uint32Array(room), this.#lengths);
    this.#hashes = copied(new Uint32Array(room), this.#hashes);
    this.#slots = new Uint32Array(2 * room);
    for (let at = 0; at < this.#count; at++) fill(this.#slots, this.#hashes[at] as number, at + 1);
  }

  /** Reads the line of a document again, which is needed only for equal hashes. */
  #idOf(at: number): string {
    const file = openSync(this.#paths[this.#files[at] as number] as string, 'r');
    try {
      return readLine(file, this.#offsets[at] as number, this.#lengths[at] as number).document_id;
    } finally {
      closeSync(file);
    }
  }
}

function fill(slots: Uint32Array, hash: number, value: number): void {
  let slot = hash % slots.length;
  while (slots[slot] !== 0) slot = (slot + 1) % slots.length;
  slots[slot] = value;
}

function copied<A extends Uint32Array | Float64Array>(room: A, from: A): A {
  room.set(from);
  return room;
}

type Numbers = Uint8Array | Uint32Array | Float64Array;

interface Kind<A extends Numbers> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: SharedArrayBuffer): A;
}

/** A copy in memory that threads share. */
function shared<A extends Numbers>(Kind: Kind<A>, numbers: A): A {
  const copy = new Kind(new SharedArrayBuffer(numbers.length * Kind.BYTES_PER_ELEMENT));
  copy.set(numbers);
  return copy;
}

async function idsFiles(path: string): Promise<string[]> {
  const isFolder = (await stat(path)).isDirectory();
  const file = isFolder ? join(path, MANIFEST) : path;
  if (!isFolder && !file.endsWith('.json')) return [file];
  const { shards } = JSON.parse(await readFile(file, 'utf8')) as Manifest;
  const names = shards.flatMap(({ files }) => files.ids?.name ?? []);
  const kept = existsSync(join(dirname(file), KEPT)) ? [KEPT] : [];
  return [...names, ...kept].map((name) => join(dirname(file), name));
}

function deletedLines(ids: readonly string[], documentId: string): string {
  return ids.map((id) => `${JSON.stringify({ deleted: id, document_id: documentId })}\n`).join('');
}

function unknownVanished(count: number): string {
  const what = count === 1 ? 'a document without an id' : `${count} documents without an id`;
  return `${what} failed: which earlier documents they were is unknown, so no document counts as deleted`;
}

/**
 * Returns only the lines of new chunks, plus a line for each deleted chunk.
 *
 * @param counts is increased by the changes
 * @throws ServiceError `invalid_parameters` if documents or chunks have no ids
 */
export function onlyChanges(
  group: ChunkedDocuments,
  earlier: EarlierIds,
  counts: ChangeCounts,
): ChunkedDocuments {
  const kept: Buffer[] = [];
  for (const { document, lines } of withLines(group)) {
    if (document.error !== undefined) continue;
    const id = idOf(document);
    const { isOld, deleted } = earlier.changesOf(id, document.ids);
    kept.push(...lines.filter((_, index) => !isOld[index]));
    kept.push(Buffer.from(deletedLines(deleted, id)));
    addChanges(counts, isOld, deleted);
  }
  return { ...group, bytes: Buffer.concat(kept) };
}

export function addChanges(
  counts: ChangeCounts,
  isOld: readonly boolean[],
  deleted: readonly string[],
): void {
  const unchanged = isOld.filter(Boolean).length;
  counts.unchanged += unchanged;
  counts.added += isOld.length - unchanged;
  counts.deleted += deleted.length;
}

function idOf(document: ChunkedDocument): string {
  const { id, source } = document;
  checkIds(document);
  if (id !== undefined) return id;
  throw invalid(
    `--since: the document of ${placeInWords(source.place)} has no id; name the member that holds it with --id-field`,
  );
}

/** @throws ServiceError `invalid_parameters` if the chunks of a document have no ids */
export function checkIds({ chunks, ids }: ChunkedDocument): void {
  if (ids.length === chunks) return;
  throw invalid(
    '--include: the chunks have no ids, which a later run needs to tell what has changed; add id',
  );
}
