import { once } from 'node:events';
import type { ChunkedDocument } from '../../corpus/chunk-documents.ts';
import { idsLine } from '../../jobs/part-files.ts';
import { CommandError } from '../errors.ts';
import { type ChangeCounts, deletedLine, EarlierIds } from './earlier-ids.ts';
import { FailedDocuments, nameOf } from './failed-documents.ts';
import { onlyChanges } from './only-changes.ts';
import { LinesFile } from './output-lines.ts';
import type { Counts, Progress } from './progress.ts';
import type { ChunkSetup } from './setup.ts';
import { type CorpusSource, linesOf } from './source.ts';

/** What a run shows and heeds. */
export interface RunContext {
  readonly counts: Counts;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/**
 * Chunks a source and writes the lines to standard output, as soon as documents are done.
 *
 * @returns what has changed, if that was asked for
 */
export async function chunkToStdout(
  setup: ChunkSetup,
  source: CorpusSource,
  { counts, progress, signal }: RunContext,
): Promise<ChangeCounts | undefined> {
  const { flags, spec, chunking, engine } = setup;
  const changes: ChangeCounts = { added: 0, unchanged: 0, deleted: 0 };
  const earlier = flags.since === undefined ? undefined : await EarlierIds.open(flags.since);
  const manifest = flags.manifest === undefined ? undefined : new LinesFile(flags.manifest);
  const failed = new FailedDocuments(flags.errors);
  const seen = new Set<string>();
  const note = (document: ChunkedDocument) => {
    const { id, error } = document;
    counts.documents++;
    counts.chunks += document.chunks;
    counts.bytes += document.source.size;
    if (id !== undefined && earlier !== undefined) seen.add(id);
    if (error === undefined) manifest?.write(idsLine(document));
    else {
      counts.failed++;
      failed.add(document);
      if (id !== undefined) manifest?.write(idsLine({ ...document, ids: earlier?.idsOf(id) ?? [] }));
      if (flags.failFast) throw new CommandError(`${nameOf(document)}: ${error.detail}`);
    }
  };
  try {
    const lines = linesOf(source, spec, engine, signal, () => counts.skipped++);
    for await (const group of chunking(spec, lines, signal)) {
      const { bytes } = earlier === undefined ? group : onlyChanges(group, earlier, changes);
      await write(bytes, signal);
      group.documents.forEach(note);
      progress.update();
    }
    if (earlier !== undefined) await writeVanished(earlier, seen, changes, signal);
    manifest?.finish();
  } catch (error) {
    manifest?.discard();
    throw error;
  } finally {
    failed.close();
    earlier?.close();
  }
  return earlier === undefined ? undefined : changes;
}

/** Writes that the chunks of documents are gone which are not there any more. */
async function writeVanished(
  earlier: EarlierIds,
  seen: ReadonlySet<string>,
  changes: ChangeCounts,
  signal: AbortSignal,
): Promise<void> {
  for (const documentId of earlier.documents()) {
    if (seen.has(documentId)) continue;
    const ids = earlier.idsOf(documentId);
    changes.deleted += ids.length;
    await write(Buffer.from(ids.map((id) => deletedLine(id, documentId)).join('')), signal);
  }
}

async function write(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  if (bytes.length === 0 || process.stdout.write(bytes)) return;
  await once(process.stdout, 'drain', { signal });
}
