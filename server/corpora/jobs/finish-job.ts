import type { LeftOut } from '../../../core/contracts/reader.ts';
import { addLeftOut } from '../../engine/read/readers.ts';
import {
  type Claim,
  type Failure,
  type JobStore,
  NO_DOCUMENTS,
  type PruneCounts,
  type ShardPage,
  type ShardRecord,
  type ShardResult,
  type ShardState,
} from '../../store/jobs/contract.ts';
import { type SkippedReasons, Skips } from '../skips.ts';
import type { WrittenFile } from '../storage/storage.ts';
import type { ShardOutput } from './chunk-shard.ts';
import { checkFolder, isFolderOf, MANIFEST, removeAttempts, removeFiles } from './job-folder.ts';
import { PART_KINDS, type PartKind, partName } from './part-files.ts';
import { inFolder, type JobLocations, type JobSpec, type TargetLocation } from './spec.ts';

export interface FinishTools {
  readonly store: Pick<JobStore, 'shards'>;
  readonly locations: JobLocations;
  /** Called once nothing else can fail the job. @returns its entries in the manifest */
  prune?(): Promise<PruneCounts | undefined>;
}

/** The manifest, which is written last: it names the valid files. */
export interface Manifest {
  readonly shards: readonly ShardEntry[];
  readonly counts: Counts & Reports & Partial<PruneCounts>;
}

interface Reports {
  readonly skipped_reasons: SkippedReasons;
  readonly left_out: LeftOut;
}

type Counts = Pick<ShardOutput, 'documents' | 'failed' | 'skipped' | 'chunks'>;

/** The entry of a shard in the manifest: its outcome, and its files by kind, with their names in the folder. */
interface ShardEntry extends Counts {
  readonly seq: number;
  readonly files: { readonly [K in PartKind]?: WrittenFile };
}

/**
 * Gives the files of finished shards their final names, removes other attempts' files, and writes the manifest, which
 * completes the output. Idempotent.
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
    // The job was removed meanwhile, so files renamed since would stay behind.
    if (!(await isFolderOf(target, claim.jobId))) await removeFiles(target.storage, names);
    throw error;
  }
}

/** Shards that are read from the store at once. */
const PAGE = 1000;

export async function* outputsOf({ jobId }: Pick<Claim, 'jobId'>, store: FinishTools['store']) {
  for await (const { seq, output } of shardsOf(jobId, store, 'done'))
    yield { seq, output: output as ShardOutput };
}

/** All shards of a job, or those in a state. */
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

/** @returns the error that fails the job, if nothing was read */
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

/** The files with their names in the folder. */
function ownNames(files: ShardEntry['files'], { folder }: TargetLocation): ShardEntry['files'] {
  const start = folder === '' ? 0 : folder.length + 1;
  return Object.fromEntries(
    Object.entries(files).map(([kind, file]) => [kind, { ...file, name: file.name.slice(start) }]),
  );
}
