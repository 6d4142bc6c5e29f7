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

interface LinePosition {
  readonly file: number;
  readonly from: number;
  readonly length: number;
}

/** The chunk ids of an earlier run. Memory holds only the position of each document's line. */
export class EarlierIds {
  readonly #files: number[] = [];
  readonly #positions = new Map<string, LinePosition>();

  /**
   * @param path the folder or manifest of a run, or a file that `--manifest` wrote
   * @throws UsageError for any other `path`
   */
  static async open(path: string): Promise<EarlierIds> {
    const earlier = new EarlierIds();
    try {
      for (const file of await idsFiles(path)) await earlier.#index(file);
    } catch (error) {
      earlier.close();
      throw new UsageError(`--since ${path}: it was not written by an earlier run: ${reasonOf(error)}`);
    }
    return earlier;
  }

  async #index(path: string): Promise<void> {
    const file = this.#files.push(openSync(path, 'r')) - 1;
    const splitter = new LineSplitter(Number.POSITIVE_INFINITY);
    let from = 0;
    const take = (lines: ReturnType<LineSplitter['push']>) => {
      for (const line of lines as Buffer[]) {
        const { document_id } = JSON.parse(line.toString()) as { readonly document_id?: unknown };
        if (document_id === undefined) throw new Error('a line has no document_id');
        if (typeof document_id === 'string')
          this.#positions.set(document_id, { file, from, length: line.length });
        from += line.length + 1;
      }
    };
    for await (const piece of hold(createReadStream(path))) take(splitter.push(piece as Buffer));
    take(splitter.end());
  }

  /** The ids of the chunks that a document had; empty if it is new. */
  idsOf(documentId: string): readonly string[] {
    const position = this.#positions.get(documentId);
    if (position === undefined) return [];
    const { file, from, length } = position;
    const line = Buffer.alloc(length);
    readSync(this.#files[file] as number, line, 0, length, from);
    return (JSON.parse(line.toString()) as { readonly chunks: readonly string[] }).chunks;
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
   * Yields lines for the deleted chunks of documents that no longer exist. If documents without known ids
   * failed, any missing document may be one of them. Then no document counts as deleted.
   *
   * @param seen ids of the existing documents
   * @param unknown number of documents that failed without an id
   * @param counts is increased by the deleted chunks
   * @param keep receives the line of each missing document that keeps its chunks
   */
  *vanished(
    seen: ReadonlySet<string>,
    unknown: number,
    counts: ChangeCounts,
    keep: (line: string) => void,
  ): Generator<string> {
    if (unknown > 0) console.error(unknownVanished(unknown));
    for (const documentId of this.#positions.keys()) {
      if (seen.has(documentId)) continue;
      const ids = this.idsOf(documentId);
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
