import { once } from 'node:events';
import { closeSync, writeSync } from 'node:fs';
import { CommandError } from '../../cli/errors.ts';
import { release } from '../../engine/answer/release.ts';
import type { ChunkedDocument, ChunkedDocuments } from '../chunk-documents.ts';
import { failedDocumentLine, idsLine, idsLineOf } from '../jobs/part-files.ts';
import { placeInWords } from '../shard.ts';
import { emptyOf, type Skip, skipLine, unreadId } from '../skips.ts';
import { type ChangeCounts, checkIds, EarlierIds, onlyChanges } from './changes.ts';
import { LinesFile, openToWrite } from './lines-file.ts';
import { addDocument, type Counts, type Progress } from './progress.ts';
import type { ChunkSetup } from './setup.ts';
import { linesOf } from './source.ts';

/** What a run reports to and obeys. */
export interface RunContext {
  readonly counts: Counts;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/**
 * Chunks a source and writes the lines to standard output as soon as documents are done.
 *
 * @returns what has changed, if that was requested
 */
export async function chunkToStdout(
  setup: ChunkSetup,
  context: RunContext,
): Promise<ChangeCounts | undefined> {
  const { flags, source, spec, chunking, engine } = setup;
  const { counts, progress, signal } = context;
  const earlier = flags.since === undefined ? undefined : await EarlierIds.open(flags.since);
  const manifest = flags.manifest === undefined ? undefined : new LinesFile(flags.manifest);
  const failed = new FailedDocuments(flags.errors);
  const output = new Output(counts, failed, manifest, earlier);
  // Files are read ahead, by a different amount on each machine, so what was skipped is written last.
  const skipped = [...source.skipped];
  try {
    const lines = linesOf(source, spec, engine, signal, (skip) => skipped.push(skip));
    for await (const group of chunking(spec, lines, signal)) {
      await write(output.take(group), signal);
      progress.update();
      if (flags.failFast) output.throwFailed();
    }
    for (const skip of skipped) output.keep(unreadId(skip));
    for (const deleted of output.vanished()) await write(Buffer.from(deleted), signal);
    manifest?.finish();
  } catch (error) {
    manifest?.discard();
    throw error;
  } finally {
    for (const skip of skipped) output.addSkipped(skip);
    output.close();
  }
  return earlier === undefined ? undefined : output.changes;
}

/** Turns finished documents into output, and remembers what is needed later. */
class Output {
  readonly changes: ChangeCounts = { added: 0, unchanged: 0, deleted: 0 };
  readonly #counts: Counts;
  readonly #failed: FailedDocuments;
  readonly #manifest: LinesFile | undefined;
  readonly #earlier: EarlierIds | undefined;
  readonly #seen = new Set<string>();
  #firstFailed: ChunkedDocument | undefined;
  #unknown = 0;

  constructor(
    counts: Counts,
    failed: FailedDocuments,
    manifest: LinesFile | undefined,
    earlier: EarlierIds | undefined,
  ) {
    this.#counts = counts;
    this.#failed = failed;
    this.#manifest = manifest;
    this.#earlier = earlier;
  }

  /** @returns the output for a group */
  take(group: ChunkedDocuments): Uint8Array {
    const { bytes } = this.#earlier === undefined ? group : onlyChanges(group, this.#earlier, this.changes);
    for (const document of group.documents) this.#note(document);
    return bytes;
  }

  #note(document: ChunkedDocument): void {
    const { id, error } = document;
    addDocument(this.#counts, document);
    if (id !== undefined && this.#earlier !== undefined) this.#seen.add(id);
    if (error !== undefined) this.#noteFailed(document);
    else this.#noteDone(document);
  }

  addSkipped(skip: Skip): void {
    this.#counts.skips.add(skip);
    this.#failed.addSkipped(skip);
  }

  #noteDone(document: ChunkedDocument): void {
    const empty = emptyOf(document);
    if (empty !== undefined) this.addSkipped(empty);
    if (this.#manifest === undefined) return;
    checkIds(document);
    this.#manifest.write(idsLine(document));
  }

  /** Failed documents keep the chunks that they had. */
  #noteFailed(document: ChunkedDocument): void {
    const { id } = document;
    this.#failed.add(document);
    this.#firstFailed ??= document;
    if (id === undefined) this.#unknown++;
    else this.#manifest?.write(idsLine({ ...document, ids: this.#earlier?.idsOf(id) ?? [] }));
  }

  /** A document that existed and could not be read this time also keeps its chunks. */
  keep(id: string | undefined): void {
    const ids = (id !== undefined && this.#earlier?.idsOf(id)) || [];
    if (id === undefined || ids.length === 0) return;
    this.#seen.add(id);
    this.#manifest?.write(idsLineOf(id, ids));
  }

  /** @throws CommandError if a document has failed */
  throwFailed(): void {
    if (this.#firstFailed === undefined) return;
    throw new CommandError(`${nameOf(this.#firstFailed)}: ${this.#firstFailed.error?.detail}`);
  }

  /** The lines for chunks that were deleted with their documents. */
  vanished(): Iterable<string> {
    const keep = (line: string) => this.#manifest?.write(line);
    return this.#earlier?.vanished(this.#seen, this.#unknown, this.changes, keep) ?? [];
  }

  close(): void {
    this.#failed.close();
    this.#earlier?.close();
  }
}

/** Writes bytes, which must not be used afterwards: their memory is released once they are written. */
async function write(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  if (bytes.length === 0) return;
  const isTaken = process.stdout.write(bytes, () => release(bytes));
  if (!isTaken) await once(process.stdout, 'drain', { signal });
}

/** Maximum failures shown; the file lists all. */
const MOST_SHOWN = 10;

/** Reports failed documents: all of them and what was skipped in a file, the first ones on standard error. */
class FailedDocuments {
  readonly #file: number | undefined;
  #count = 0;

  /** @param path of the file; it is created at the start, and stays empty if nothing fails */
  constructor(path: string | undefined) {
    this.#file = path === undefined ? undefined : openToWrite(path);
  }

  add(document: ChunkedDocument): void {
    if (this.#file !== undefined) writeSync(this.#file, failedDocumentLine(document));
    else if (++this.#count <= MOST_SHOWN)
      process.stderr.write(`${nameOf(document)}: ${document.error?.detail}\n`);
  }

  addSkipped(skip: Skip): void {
    if (this.#file !== undefined) writeSync(this.#file, skipLine(skip));
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    const more = this.#count - MOST_SHOWN;
    if (more > 0) process.stderr.write(`${more} more documents failed; --errors FILE lists all\n`);
  }
}

/** A document as a person would look it up. */
function nameOf({ source: { place }, id }: ChunkedDocument): string {
  const name = placeInWords(place);
  return id === undefined || id === place.source ? name : `${name} (${id})`;
}
