import { once } from 'node:events';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { reasonOf } from '../../../core/errors.ts';
import { CommandError, UsageError } from '../../cli/errors.ts';
import { release } from '../../engine/memory.ts';
import { addTally } from '../chunk-documents.ts';
import type { Skip } from '../shard.ts';
import { type ChangeCounts, EarlierIds } from './changes.ts';
import type { Counts, Progress } from './progress.ts';
import { chunkRanges } from './ranges.ts';
import { MAX_SHOWN, type Report, Reporter, type SkipsReport } from './reports.ts';
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
  const { flags, source } = setup;
  const { counts, progress, signal } = context;
  const earlier = flags.since === undefined ? undefined : await EarlierIds.open(flags.since);
  const manifest = flags.manifest === undefined ? undefined : new LinesFile(flags.manifest);
  const errors = flags.errors === undefined ? undefined : openToWrite(flags.errors);
  const output = new Output({ counts, errors, manifest });
  const reporter = new Reporter({ manifest: manifest !== undefined, errors: errors !== undefined }, earlier);
  // Skips are written last: files are read ahead, so skips are found at a different time on each machine.
  const skipped: SkipsReport[] = [];
  let ofSource: SkipsReport | undefined;
  const allSkipped = () => {
    ofSource ??= reporter.reportSkips(source.skipped);
    return [ofSource, ...skipped];
  };
  try {
    const reports =
      setup.ranges === undefined
        ? chunkLines(setup, reporter, signal, skipped)
        : chunkRanges(setup, setup.ranges, {
            reporter,
            earlier,
            signal,
            onSkipped: (skips) => skipped.push(skips),
          });
    for await (const report of reports) {
      await write(output.take(report), signal);
      progress.update?.();
      if (flags.failFast) output.throwFailed();
    }
    for (const skips of allSkipped()) output.keep(skips);
    const keep = (line: string) => manifest?.write(line);
    for (const deleted of earlier?.vanished(output.unknown, output.changes, keep) ?? [])
      await write(Buffer.from(deleted), signal);
    manifest?.finish();
  } catch (error) {
    manifest?.discard();
    throw error;
  } finally {
    for (const skips of allSkipped()) output.addSkipped(skips);
    output.close();
    earlier?.close();
  }
  return earlier === undefined ? undefined : output.changes;
}

/** Chunks a source that cannot be divided, or on a server. */
async function* chunkLines(
  { source, spec, chunking, cradle }: ChunkSetup,
  reporter: Reporter,
  signal: AbortSignal,
  skipped: SkipsReport[],
): AsyncGenerator<Report> {
  const skips: Skip[] = [];
  try {
    const lines = linesOf(source, spec, cradle, signal, (skip) => skips.push(skip));
    for await (const group of chunking(spec, lines, signal)) yield reporter.report(group);
  } finally {
    skipped.push(reporter.reportSkips(skips));
  }
}

interface Files {
  readonly counts: Counts;
  /** File descriptor for all failures and skips. If undefined, standard error gets the first failures. */
  readonly errors: number | undefined;
  readonly manifest: LinesFile | undefined;
}

/** Writes what reports say, and nothing else. */
class Output {
  readonly changes: ChangeCounts = { added: 0, unchanged: 0, deleted: 0 };
  readonly #files: Files;
  #firstFailed: string | undefined;
  #shown = 0;
  unknown = 0;

  constructor(files: Files) {
    this.#files = files;
  }

  /** @returns the bytes for standard output */
  take({ bytes, tally, changes, failures, ...rest }: Report): Uint8Array {
    addTally(this.#files.counts, tally);
    this.changes.added += changes.added;
    this.changes.unchanged += changes.unchanged;
    this.changes.deleted += changes.deleted;
    this.#firstFailed ??= failures[0];
    if (this.#files.errors === undefined) this.#show(failures);
    this.addSkipped(rest);
    this.keep(rest);
    return bytes;
  }

  addSkipped({ skips, errors }: SkipsReport): void {
    for (const group of skips) this.#files.counts.skips.addGroup(group);
    if (this.#files.errors !== undefined && errors !== '') writeSync(this.#files.errors, errors);
  }

  keep({ manifest, unknown }: SkipsReport): void {
    if (manifest !== '') this.#files.manifest?.write(manifest);
    this.unknown += unknown;
  }

  #show(failures: readonly string[]): void {
    for (const failure of failures.slice(0, MAX_SHOWN - this.#shown)) {
      process.stderr.write(`${failure}\n`);
      this.#shown++;
    }
  }

  throwFailed(): void {
    if (this.#firstFailed !== undefined) throw new CommandError(this.#firstFailed);
  }

  close(): void {
    const { counts, errors } = this.#files;
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
