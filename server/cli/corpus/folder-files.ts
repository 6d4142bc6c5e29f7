import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Manifest } from '../../jobs/finish-job.ts';
import { MANIFEST } from '../../jobs/job-folder.ts';
import type { PartKind } from '../../jobs/part-files.ts';
import { type ChangeCounts, deletedLine, type EarlierIds } from './earlier-ids.ts';
import { LinesFile } from './output-lines.ts';

/** What of an earlier run is not there any more, beside the parts of a run with `--since`. */
const DELETED = 'deleted.jsonl';

export async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as Manifest;
}

/** The lines of all files of a kind, in the order of the source. */
export async function* linesOfFiles(
  folder: string,
  { shards }: Manifest,
  kind: PartKind,
): AsyncGenerator<string> {
  for (const { files } of shards) {
    const file = files[kind];
    if (file !== undefined) yield* createInterface({ input: createReadStream(join(folder, file.name)) });
  }
}

/** Copies what failed into one file. */
export async function copyErrors(folder: string, manifest: Manifest, path: string): Promise<void> {
  const file = new LinesFile(path);
  for await (const line of linesOfFiles(folder, manifest, 'errors')) file.write(`${line}\n`);
  file.finish();
}

/** Counts what has changed, and writes which chunks are gone of documents that are not there any more. */
export async function writeChanges(
  folder: string,
  manifest: Manifest,
  earlier: EarlierIds,
): Promise<ChangeCounts> {
  const counts: ChangeCounts = { added: 0, unchanged: 0, deleted: 0 };
  const seen = new Set<string>();
  for await (const line of linesOfFiles(folder, manifest, 'ids')) {
    const { document_id, chunks } = JSON.parse(line) as IdsLine;
    const { isOld, deleted } = earlier.changesOf(document_id ?? undefined, chunks);
    const unchanged = isOld.filter(Boolean).length;
    counts.unchanged += unchanged;
    counts.added += isOld.length - unchanged;
    counts.deleted += deleted.length;
    if (document_id !== null) seen.add(document_id);
  }
  for await (const line of linesOfFiles(folder, manifest, 'errors')) {
    const { id } = JSON.parse(line) as { readonly id?: string };
    if (id !== undefined) seen.add(id);
  }
  const file = new LinesFile(join(folder, DELETED));
  for (const id of earlier.documents()) {
    if (seen.has(id)) continue;
    const ids = earlier.idsOf(id);
    counts.deleted += ids.length;
    file.write(ids.map((one) => deletedLine(one, id)).join(''));
  }
  file.finish();
  return counts;
}

interface IdsLine {
  readonly document_id: string | null;
  readonly chunks: readonly string[];
}
