import type { LeftOut } from '../../../core/contracts/reader.ts';
import { ServiceError } from '../../../core/errors.ts';
import { addLeftOut } from '../../engine/read/readers.ts';
import {
  type Claim,
  type Failure,
  type JobRecord,
  type JobStore,
  NO_DOCUMENTS,
  type PruneCounts,
  type ShardPage,
  type ShardRecord,
  type ShardResult,
  type ShardState,
} from '../../store/jobs/contract.ts';
import { type SkipGroup, type SkippedReasons, Skips } from '../skips.ts';
import type { WrittenFile } from '../storage/storage.ts';
import { checkFolder, isFolderOf, MANIFEST, removeAttempts, removeFiles } from './job-folder.ts';
import { PART_KINDS, type PartFiles, type PartKind, partName } from './part-files.ts';
import { inFolder, type JobLocations, type JobSpec, type TargetLocation } from './spec.ts';

export interface ShardOutput {
  readonly files: PartFiles;
  readonly documents: number;
  readonly failed: number;
  readonly skipped: number;
  /** Skipped files and empty documents, by reason; missing if there are none. */
  readonly skips?: readonly SkipGroup[];
  readonly chunks: number;
  /** Content that readers left out of files; missing if there is none. */
  readonly leftOut?: LeftOut;
  /** Number of failed documents with unknown ids; missing if there are none. */
  readonly unidentified?: number;
}

export interface FinishTools {
  readonly store: Pick<JobStore, 'shards'>;
  readonly locations: JobLocations;
  /** Called once only `prune` itself can still fail the job. @returns counts for the manifest */
  prune?(): Promise<PruneCounts | undefined>;
}

/** The list of the valid files of a job, written after all of them. */
export interface Manifest {
  readonly shards: readonly ShardEntry[];
  readonly counts: Counts & Reports & Partial<PruneCounts>;
}

interface Reports {
  readonly skipped_reasons: SkippedReasons;
  readonly left_out: LeftOut;
}

type Counts = Pick<ShardOutput, 'documents' | 'failed' | 'skipped' | 'chunks'>;

interface ShardEntry extends Counts {
  readonly seq: number;
  readonly files: { readonly [K in PartKind]?: WrittenFile };
}

/**
 * Finishes a job: gives files their final names, removes the files of other attempts, and writes the manifest.
 * Idempotent.
 *
 * @throws ServiceError `target_taken` if the folder now belongs to another job
 * @throws the signal's reason once it aborts
 */
export async function finishJob(claim: Claim, signal: AbortSignal, tools: FinishTools): Promise<ShardResult> {
  const target = await tools.locations.target(claim.spec as JobSpec);
  await checkFolder(target, claim.jobId);
  const names = new Set<string>();
  try {
    for await (const { seq, output } of outputsOf(claim, tools.store)) {
      signal.throwIfAborted();
      for (const { name } of Object.values(await settleFiles(target, seq, output))) names.add(name);
    }
    await removeAttempts(target, claim.jobId, names, signal);
    const pruned = await tools.prune?.();
    const failure = await writeManifest(target, outputsOf(claim, tools.store), pruned);
    return { ...NO_DOCUMENTS, failure };
  } catch (error) {
    // The job was removed during the renaming. The removal has missed the files with the new names.
    if (!(await isFolderOf(target, claim.jobId))) await removeFiles(target.storage, names);
    throw error;
  }
}

const PAGE = 1000;

export async function* outputsOf({ jobId }: Pick<Claim, 'jobId'>, store: FinishTools['store']) {
  for await (const { seq, output } of shardsOf(jobId, store, 'done'))
    yield { seq, output: output as ShardOutput };
}

export async function* shardsOf(
  jobId: string,
  store: FinishTools['store'],
  state?: ShardState,
): AsyncGenerator<ShardRecord> {
  let page: ShardPage | undefined;
  do {
    page = await store.shards(jobId, { limit: PAGE, after: page?.shards.at(-1)?.seq, state });
    yield* page.shards;
  } while (page.hasMore);
}

async function settleFiles(
  target: TargetLocation,
  seq: number,
  { files }: ShardOutput,
): Promise<ShardEntry['files']> {
  const settled: { [K in PartKind]?: WrittenFile } = {};
  for (const kind of PART_KINDS) {
    const file = files[kind];
    if (file === undefined) continue;
    const name = await target.storage.settle(file.name, partName(target, kind, seq));
    settled[kind] = { ...file, name };
  }
  return settled;
}

/** @returns the error that fails the job, if no document was read */
async function writeManifest(
  target: TargetLocation,
  outputs: ReturnType<typeof outputsOf>,
  pruned: PruneCounts | undefined,
): Promise<Failure | undefined> {
  const writer = await target.storage.create(inFolder(target.folder, MANIFEST));
  const counts = { documents: 0, failed: 0, skipped: 0, chunks: 0 };
  const skips = new Skips();
  let left_out: LeftOut = {};
  try {
    await writer.write(Buffer.from('{\n  "shards": ['));
    let before = '\n';
    for await (const { seq, output } of outputs) {
      const { documents, failed, skipped, chunks } = output;
      for (const group of output.skips ?? []) skips.addGroup(group);
      left_out = addLeftOut(left_out, output.leftOut ?? {});
      counts.documents += documents;
      counts.failed += failed;
      counts.skipped += skipped;
      counts.chunks += chunks;
      const files = ownNames(await settleFiles(target, seq, output), target);
      const entry: ShardEntry = { seq, documents, failed, skipped, chunks, files };
      await writer.write(Buffer.from(`${before}    ${JSON.stringify(entry)}`));
      before = ',\n';
    }
    const all = { ...counts, skipped_reasons: skips.reasons, left_out, ...pruned };
    await writer.write(Buffer.from(`\n  ],\n  "counts": ${JSON.stringify(all)}\n}\n`));
    await writer.finish();
  } catch (error) {
    await writer.discard();
    throw error;
  }
  const isNothingRead = counts.documents === 0 && counts.skipped > 0;
  return isNothingRead ? { code: 'nothing_read', values: { skipped: String(skips) } } : undefined;
}

function ownNames(files: ShardEntry['files'], { folder }: TargetLocation): ShardEntry['files'] {
  const start = folder === '' ? 0 : folder.length + 1;
  return Object.fromEntries(
    Object.entries(files).map(([kind, file]) => [kind, { ...file, name: file.name.slice(start) }]),
  );
}

export interface OutputTools {
  readonly store: Pick<JobStore, 'shards'>;
  readonly locations: Pick<JobLocations, 'target'>;
}

/**
 * Reads the lines of all files of one kind, in the order of the source. For a running job, reads only the
 * files of finished shards.
 *
 * @throws ServiceError `storage_failed`, also if a file has disappeared
 */
export async function* readParts(
  { id, spec }: JobRecord,
  kind: PartKind,
  { store, locations }: OutputTools,
): AsyncGenerator<Buffer> {
  const target = await locations.target(spec as JobSpec);
  for await (const { seq, output } of outputsOf({ jobId: id }, store)) {
    const file = output.files[kind];
    if (file !== undefined) yield* readPart(target, file, partName(target, kind, seq));
  }
}

/** @param lastName the file's name after its job has finished, which may happen while this function reads */
async function* readPart(
  { storage }: TargetLocation,
  { name }: WrittenFile,
  lastName: string,
): AsyncGenerator<Buffer> {
  for (const one of [name, lastName]) {
    const file = await storage.find(one);
    if (file === undefined) continue;
    let isBegun = false;
    try {
      for await (const piece of storage.read(file)) {
        isBegun = true;
        yield piece;
      }
      return;
    } catch (error) {
      const hasGone = error instanceof ServiceError && error.code === 'source_changed';
      if (isBegun || !hasGone) throw error;
    }
  }
  throw new ServiceError('storage_failed', {
    storage: storage.label,
    reason: `${lastName} no longer exists`,
  });
}

/** The manifest of an ended job; undefined if no manifest exists. @throws ServiceError `storage_failed` */
export async function findManifest(
  { spec }: JobRecord,
  locations: OutputTools['locations'],
): Promise<AsyncGenerator<Buffer> | undefined> {
  const { storage, folder } = await locations.target(spec as JobSpec);
  const file = await storage.find(inFolder(folder, MANIFEST));
  return file && pieces(storage.read(file));
}

async function* pieces(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* bytes;
}
