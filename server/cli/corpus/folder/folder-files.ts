import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { hold } from '../../../../core/hold.ts';
import type { Place, SkipReason } from '../../../corpus/shard.ts';
import { type Skip, skipLine, unreadId } from '../../../corpus/skips.ts';
import type { Manifest } from '../../../jobs/finish-job.ts';
import { MANIFEST } from '../../../jobs/job-folder.ts';
import { idsLineOf, type PartKind } from '../../../jobs/part-files.ts';
import { type ChangeCounts, type EarlierIds, KEPT } from '../changes/earlier-ids.ts';
import { addChanges } from '../changes/only-changes.ts';
import { LinesFile } from '../lines-file.ts';

/** What of an earlier run is not there any more, beside the parts of a run with `--since`. */
const DELETED = 'deleted.jsonl';

export async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as Manifest;
}

/** The lines of all files of a kind, in the order of the source. */
async function* linesOfFiles(folder: string, { shards }: Manifest, kind: PartKind): AsyncGenerator<string> {
  for (const { files } of shards) {
    const file = files[kind];
    if (file !== undefined)
      yield* createInterface({ input: hold(createReadStream(join(folder, file.name))) });
  }
}

/** Copies what failed into one file, below what was skipped before. */
export async function copyErrors(
  folder: string,
  manifest: Manifest,
  path: string,
  skipped: readonly Skip[],
): Promise<void> {
  const file = new LinesFile(path);
  for (const skip of skipped) file.write(skipLine(skip));
  for await (const line of linesOfFiles(folder, manifest, 'errors')) file.write(`${line}\n`);
  file.finish();
}

/**
 * Counts what has changed, and writes which chunks are gone with documents that are not there any more, and which ones
 * documents keep that failed.
 */
export async function writeChanges(
  folder: string,
  manifest: Manifest,
  earlier: EarlierIds,
): Promise<ChangeCounts> {
  const counts: ChangeCounts = { added: 0, unchanged: 0, deleted: 0 };
  const seen = new Set<string>();
  for await (const line of linesOfFiles(folder, manifest, 'ids')) {
    const { document_id, chunks } = JSON.parse(line) as IdsLine;
    const { isOld, deleted } = earlier.changesOf(document_id, chunks);
    addChanges(counts, isOld, deleted);
    seen.add(document_id);
  }
  const kept = new LinesFile(join(folder, KEPT));
  let unknown = 0;
  for await (const line of linesOfFiles(folder, manifest, 'errors')) {
    const { skipped, ...found } = JSON.parse(line) as ErrorsLine;
    const id = skipped === undefined ? found.id : unreadId({ ...found, skipped, place: found });
    if (id !== undefined) {
      seen.add(id);
      kept.write(idsLineOf(id, earlier.idsOf(id)));
    } else if (skipped === undefined) unknown++;
  }
  const gone = new LinesFile(join(folder, DELETED));
  for (const lines of earlier.vanished(seen, unknown, counts, (line) => kept.write(line))) gone.write(lines);
  kept.finish();
  gone.finish();
  return counts;
}

/** A document that failed, or was skipped. */
interface ErrorsLine extends Place {
  readonly id?: string;
  readonly skipped?: SkipReason;
}

/** All documents have ids where an earlier run is compared. */
interface IdsLine {
  readonly document_id: string;
  readonly chunks: readonly string[];
}
