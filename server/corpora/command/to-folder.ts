import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../core/contracts/collaborators.ts';
import { hold } from '../../../core/hold.ts';
import { CommandError, UsageError } from '../../cli/errors.ts';
import { inOwnTerms } from '../../cli/own-terms.ts';
import type { JobCounts, JobRecord, JobStore, SkipReason } from '../../store/jobs/contract.ts';
import { createDatabase, createJobStore } from '../../store/stores.ts';
import { addTally, type Tally } from '../chunk-documents.ts';
import { errorAnswer } from '../jobs/answers.ts';
import { createJobWorker, shardsAtOnce } from '../jobs/create-worker.ts';
import { MANIFEST } from '../jobs/job-folder.ts';
import { type Manifest, outputsOf } from '../jobs/job-output.ts';
import { idsLineOf, type PartKind } from '../jobs/part-files.ts';
import { ShardThreads } from '../jobs/shard-threads.ts';
import type { JobLocations } from '../jobs/spec.ts';
import { shardBytesFor } from '../plan-shards.ts';
import type { Place, Skip } from '../shard.ts';
import { isUnreadFolder, skipLine, unreadId } from '../skips.ts';
import { createLocalFolder } from '../storage/local/folder.ts';
import { addChanges, type ChangeCounts, EarlierIds, KEPT, onlyChanges } from './changes.ts';
import { chosenThreads } from './chosen-threads.ts';
import { checkFolder, holdFolder, makeFolder, openJob, STATE } from './folder-job.ts';
import type { Counts } from './progress.ts';
import type { ChunkSetup } from './setup.ts';
import { LinesFile, type RunContext } from './to-stdout.ts';

/** Only this process works on the folder, so the lease may be long. The other settings are for retries. */
const QUEUE = { leaseSeconds: 600, maxFailures: 3, pauseSeconds: 0.5 } as const;
const nothing = () => {};
const QUIET: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const POLL = 100;
const MAX_DOCUMENTS = 10_000;
/** The source is divided as for this many workers, so that the files are the same on every machine. */
const SHARES = 8;

/**
 * Chunks a source into part files and a manifest in a folder. The progress is stored there, so that a killed
 * run can be resumed.
 *
 * @returns the changes, if requested
 */
export async function chunkToFolder(
  setup: ChunkSetup,
  context: RunContext,
): Promise<ChangeCounts | undefined> {
  const { flags, source, cradle } = setup;
  if (source.files === undefined)
    throw new UsageError('--out: standard input cannot be read twice; name files instead');
  const folder = resolve(flags.out as string);
  await makeFolder(folder);
  const release = holdFolder(folder);
  const database = createDatabase({ dataDir: join(folder, STATE), databaseUrl: '' }, cradle.log);
  const store = createJobStore(database, QUEUE, cradle.log);
  let earlier: EarlierIds | undefined;
  try {
    checkFolder(folder, flags.resume === true);
    if (flags.since !== undefined) earlier = await EarlierIds.open(flags.since);
    const job = await openJob(setup, store);
    const run = { setup, store, folder, earlier, context };
    return await report(run, await work(run, job));
  } finally {
    earlier?.close();
    await database.close();
    release();
  }
}

interface Run {
  readonly setup: ChunkSetup;
  readonly store: JobStore;
  readonly folder: string;
  readonly earlier: EarlierIds | undefined;
  readonly context: RunContext;
}

async function work({ setup, store, folder, earlier, context }: Run, job: JobRecord): Promise<JobRecord> {
  const { source, chunking } = setup;
  const { registry, host, config } = setup.cradle;
  const { signal } = context;
  setCounts(context.counts, { ...job.counts, failed: 0 });
  const worker = createJobWorker({
    registry,
    host,
    log: QUIET,
    store,
    chunking,
    locations: locationsOf(setup, folder),
    threads: threadsOf(setup, folder, store, earlier),
    concurrency: shardsAtOnce(config.workers),
    settings: {
      leaseSeconds: QUEUE.leaseSeconds,
      documentBytes: config.maxBodyBytes,
      shardBytes: shardBytesFor(source.total ?? 0, SHARES),
      shardDocuments: MAX_DOCUMENTS,
    },
    notify: () => Promise.reject(new Error('the command line has no callbacks')),
    onChunked: (gain) => show(gain, context),
    filter: earlier && ((group) => onlyChanges(group, earlier, { added: 0, unchanged: 0, deleted: 0 })),
    inTerms: inOwnTerms,
  });
  try {
    for (;;) {
      signal.throwIfAborted();
      const now = await store.get(job.id);
      if (now.finished_at !== null) return now;
      await sleep(POLL, undefined, { signal }).catch(() => {});
    }
  } finally {
    await worker.stop(0);
  }
}

async function report(
  { setup: { flags, source }, store, folder, earlier, context: { counts } }: Run,
  job: JobRecord,
): Promise<ChangeCounts | undefined> {
  const { id, state, error } = job;
  // The counts so far may include retried work twice.
  setCounts(counts, job.counts);
  if (state === 'cancelled')
    throw new CommandError(`--out ${folder}: another process has taken this run over`);
  for (const skip of source.skipped) counts.skips.add(skip);
  for await (const { output } of outputsOf({ jobId: id }, store)) {
    for (const group of output.skips ?? []) counts.skips.addGroup(group);
  }
  if (error !== null && error.code !== 'nothing_read')
    throw new CommandError(inOwnTerms(errorAnswer(error).detail));
  const manifest = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as Manifest;
  if (flags.errors !== undefined) await copyErrors(folder, manifest, flags.errors, source.skipped);
  return earlier === undefined ? undefined : writeChanges(folder, manifest, earlier, source.skipped);
}

/** Sets all counts except `skipped`, which is computed from the shards together with the file names. */
function setCounts(counts: Counts, { skipped: _, ...done }: JobCounts): void {
  Object.assign(counts, done);
}

function show(gain: Readonly<Tally>, { counts, progress }: RunContext): void {
  addTally(counts, gain);
  progress.update?.();
}

function threadsOf(
  { ranges, source, spec, cradle }: ChunkSetup,
  folder: string,
  store: JobStore,
  earlier: EarlierIds | undefined,
) {
  if (ranges?.bulk === undefined) return undefined;
  const { config, byteBudget } = cradle;
  const { format } = spec.target;
  const locations = { kind: 'folders', source: source.storage.label, target: folder, format } as const;
  const work = { locations, limit: config.maxBodyBytes, earlier: earlier?.index };
  const threads = new ShardThreads({ bulk: ranges.bulk, byteBudget, store, work });
  return chosenThreads(threads, ranges, source.total);
}

function locationsOf({ source, spec }: ChunkSetup, folder: string): JobLocations {
  const { storage, files = [] } = source;
  const target = { storage: createLocalFolder(folder), folder: '', format: spec.target.format };
  return {
    source: async () => ({ storage, from: { files } }),
    target: async () => target,
  };
}

const DELETED = 'deleted.jsonl';

async function* linesOfFiles(folder: string, { shards }: Manifest, kind: PartKind): AsyncGenerator<string> {
  for (const { files } of shards) {
    const file = files[kind];
    if (file !== undefined)
      yield* createInterface({ input: hold(createReadStream(join(folder, file.name))) });
  }
}

async function copyErrors(
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

/** Counts changes. Writes the chunks of deleted documents, and the chunks that failed documents keep. */
async function writeChanges(
  folder: string,
  manifest: Manifest,
  earlier: EarlierIds,
  skips: readonly Skip[],
): Promise<ChangeCounts> {
  const counts: ChangeCounts = { added: 0, unchanged: 0, deleted: 0 };
  for await (const line of linesOfFiles(folder, manifest, 'ids')) {
    const { document_id, chunks } = JSON.parse(line) as IdsLine;
    const { isOld, deleted } = earlier.changesOf(document_id, chunks);
    addChanges(counts, isOld, deleted);
    earlier.see(document_id);
  }
  const kept = new LinesFile(join(folder, KEPT));
  let unknown = skips.filter(isUnreadFolder).length;
  const keep = (id: string) => {
    earlier.see(id);
    kept.write(idsLineOf(id, earlier.idsOf(id)));
  };
  for (const id of skips.flatMap((skip) => unreadId(skip) ?? [])) if (earlier.idsOf(id).length > 0) keep(id);
  for await (const line of linesOfFiles(folder, manifest, 'errors')) {
    const { skipped, ...found } = JSON.parse(line) as ErrorsLine;
    const id = skipped === undefined ? found.id : unreadId({ ...found, skipped, place: found });
    if (id !== undefined) keep(id);
    else if (skipped === undefined) unknown++;
  }
  const gone = new LinesFile(join(folder, DELETED));
  for (const lines of earlier.vanished(unknown, counts, (line) => kept.write(line))) gone.write(lines);
  kept.finish();
  gone.finish();
  return counts;
}

interface ErrorsLine extends Place {
  readonly id?: string;
  readonly skipped?: SkipReason;
}

interface IdsLine {
  readonly document_id: string;
  readonly chunks: readonly string[];
}
