import { once } from 'node:events';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { reasonOf } from '../../../core/errors.ts';
import { CommandError, UsageError } from '../../cli/errors.ts';
import { release } from '../../engine/memory.ts';
import { addDocument, type ChunkedDocument, type ChunkedDocuments } from '../chunk-documents.ts';
import { failedDocumentLine, idsLine, idsLineOf } from '../jobs/part-files.ts';
import { placeInWords, type Skip } from '../shard.ts';
import { emptyOf, isUnreadFolder, skipLine, unreadId } from '../skips.ts';
import { type ChangeCounts, checkIds, EarlierIds, onlyChanges } from './changes.ts';
import type { Counts, Progress } from './progress.ts';
import type { ChunkSetup } from './setup.ts';
import { linesOf } from './source.ts';

export interface RunContext {
  readonly counts: Counts;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/**
 * Chunks a source and writes lines to standard output as documents are finished.
 *
 * @returns the changes, if requested
 */
export async function chunkToStdout(
  setup: ChunkSetup,
  context: RunContext,
): Promise<ChangeCounts | undefined> {
  const { flags, source, spec, chunking, cradle } = setup;
  const { counts, progress, signal } = context;
  const earlier = flags.since === undefined ? undefined : await EarlierIds.open(flags.since);
  const manifest = flags.manifest === undefined ? undefined : new LinesFile(flags.manifest);
  const errors = flags.errors === undefined ? undefined : openToWrite(flags.errors);
  const output = new Output({ counts, errors, manifest, earlier });
  // Skips are written last: files are read ahead, so skips are found at a different time on each machine.
  const skipped = [...source.skipped];
  try {
    const lines = linesOf(source, spec, cradle, signal, (skip) => skipped.push(skip));
    for await (const group of chunking(spec, lines, signal)) {
      await write(output.take(group), signal);
      progress.update?.();
      if (flags.failFast) output.throwFailed();
    }
    for (const skip of skipped) output.keep(skip);
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

interface Reports {
  readonly counts: Counts;
  /** File descriptor for all failures and skips. If undefined, standard error gets the first failures. */
  readonly errors: number | undefined;
  readonly manifest: LinesFile | undefined;
  readonly earlier: EarlierIds | undefined;
}

const MAX_SHOWN = 10;

class Output {
  readonly changes: ChangeCounts = { added: 0, unchanged: 0, deleted: 0 };
  readonly #reports: Reports;
  readonly #seen = new Set<string>();
  #firstFailed: string | undefined;
  #unknown = 0;

  constructor(reports: Reports) {
    this.#reports = reports;
  }

  take(group: ChunkedDocuments): Uint8Array {
    const { earlier } = this.#reports;
    const { bytes } = earlier === undefined ? group : onlyChanges(group, earlier, this.changes);
    for (const document of group.documents) this.#note(document);
    return bytes;
  }

  #note(document: ChunkedDocument): void {
    const { id, error } = document;
    addDocument(this.#reports.counts, document);
    if (id !== undefined && this.#reports.earlier !== undefined) this.#seen.add(id);
    if (error !== undefined) this.#noteFailed(document, `${nameOf(document)}: ${error.detail}`);
    else this.#noteDone(document);
  }

  addSkipped(skip: Skip): void {
    const { counts, errors } = this.#reports;
    counts.skips.add(skip);
    if (errors !== undefined) writeSync(errors, skipLine(skip));
  }

  #noteDone(document: ChunkedDocument): void {
    const { manifest } = this.#reports;
    const empty = emptyOf(document);
    if (empty !== undefined) this.addSkipped(empty);
    if (manifest === undefined) return;
    checkIds(document);
    manifest.write(idsLine(document));
  }

  #noteFailed(document: ChunkedDocument, inWords: string): void {
    const { counts, errors, manifest, earlier } = this.#reports;
    if (errors !== undefined) writeSync(errors, failedDocumentLine(document));
    else if (counts.failed <= MAX_SHOWN) process.stderr.write(`${inWords}\n`);
    this.#firstFailed ??= inWords;
    const { id } = document;
    if (id === undefined) this.#unknown++;
    else manifest?.write(idsLine({ ...document, ids: earlier?.idsOf(id) ?? [] }));
  }

  /** Keeps the chunks of a skipped document: it still exists, but could not be read this time. */
  keep(skip: Skip): void {
    const { manifest, earlier } = this.#reports;
    const id = unreadId(skip);
    if (isUnreadFolder(skip)) this.#unknown++;
    const ids = (id !== undefined && earlier?.idsOf(id)) || [];
    if (id === undefined || ids.length === 0) return;
    this.#seen.add(id);
    manifest?.write(idsLineOf(id, ids));
  }

  throwFailed(): void {
    if (this.#firstFailed !== undefined) throw new CommandError(this.#firstFailed);
  }

  vanished(): Iterable<string> {
    const { manifest, earlier } = this.#reports;
    const keep = (line: string) => manifest?.write(line);
    return earlier?.vanished(this.#seen, this.#unknown, this.changes, keep) ?? [];
  }

  close(): void {
    const { counts, errors, earlier } = this.#reports;
    earlier?.close();
    const more = counts.failed - MAX_SHOWN;
    if (errors !== undefined) closeSync(errors);
    else if (more > 0) process.stderr.write(`${more} more documents failed; --errors FILE lists all\n`);
  }
}

/** Writes bytes and then frees their memory, so the caller must not use the bytes afterwards. */
async function write(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  if (bytes.length === 0) return;
  const isTaken = process.stdout.write(bytes, () => release(bytes));
  if (!isTaken) await once(process.stdout, 'drain', { signal });
}

function nameOf({ source: { place }, id }: ChunkedDocument): string {
  const name = placeInWords(place);
  return id === undefined || id === place.source ? name : `${name} (${id})`;
}

/** Opens a file for writing and truncates it. @throws UsageError */
function openToWrite(path: string): number {
  try {
    return openSync(path, 'w');
  } catch (error) {
    throw new UsageError(`${path}: the file cannot be written: ${reasonOf(error)}`);
  }
}

/** A file of lines that gets its name only when it is complete. */
export class LinesFile {
  readonly #path: string;
  readonly #file: number;

  /** @throws UsageError if the file cannot be written at `path` */
  constructor(path: string) {
    this.#path = path;
    this.#file = openToWrite(`${path}.tmp`);
  }

  write(lines: string): void {
    writeSync(this.#file, lines);
  }

  finish(): void {
    fsyncSync(this.#file);
    closeSync(this.#file);
    renameSync(`${this.#path}.tmp`, this.#path);
  }

  discard(): void {
    closeSync(this.#file);
    rmSync(`${this.#path}.tmp`, { force: true });
  }
}
