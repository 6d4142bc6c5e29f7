import { hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChunkedDocuments } from '../../corpus/chunk-documents.ts';
import { createLocalFolder } from '../../corpus/local-folder.ts';
import { shardBytesFor } from '../../corpus/plan-shards.ts';
import { createJobWorker } from '../../jobs/create-worker.ts';
import { errorAnswer } from '../../jobs/job-answer.ts';
import type { JobPlaces } from '../../jobs/places.ts';
import { canonicalJson } from '../../service/canonical-json.ts';
import { createDatabase } from '../../store/create-database.ts';
import type { JobRecord, JobStore } from '../../store/jobs/contract.ts';
import { createJobStore } from '../../store/jobs/job-store.ts';
import { CommandError, UsageError } from '../errors.ts';
import { type ChangeCounts, EarlierIds } from './earlier-ids.ts';
import { copyErrors, readManifest, writeChanges } from './folder-files.ts';
import { onlyChanges } from './only-changes.ts';
import type { ChunkSetup } from './setup.ts';
import { type CorpusSource, inOrder } from './source.ts';
import type { RunContext } from './to-stdout.ts';

/** Where the state of a run is, in its folder. */
const STATE = '.chunksmith';
/** Everything is done by this process alone: a shard whose process was killed can soon be begun again. */
const QUEUE = { queue: 'lease', leaseSeconds: 3, mostFailures: 3, pauseSeconds: 0.5 } as const;
/** One key: a folder has one job. */
const KEY = 'chunk';
const DAYS = 24 * 3600;
/** Milliseconds between looking whether the job is over. */
const POLL = 100;
const MOST_DOCUMENTS = 10_000;

/**
 * Chunks a source into part files of a folder, with a manifest. What was done is kept in the folder, so that a run that was
 * killed can go on.
 *
 * @returns what has changed, if that was asked for
 */
export async function chunkToFolder(
  setup: ChunkSetup,
  source: CorpusSource,
  context: RunContext,
): Promise<ChangeCounts | undefined> {
  const { flags, engine } = setup;
  if (source.files === undefined)
    throw new UsageError('--out: standard input cannot be read twice; name files');
  const folder = resolve(flags.out as string);
  await prepareFolder(folder, flags.resume === true);
  const database = createDatabase({ dataDir: join(folder, STATE), databaseUrl: '' }, engine.log);
  const store = createJobStore(database, QUEUE, engine.log);
  const earlier = flags.since === undefined ? undefined : await EarlierIds.open(flags.since);
  try {
    const job = await openJob(setup, source, store);
    const done = await work({ setup, source, store, folder, earlier, context }, job);
    takeCounts(done, context);
    if (done.state === 'failed' && done.error !== null)
      throw new CommandError(errorAnswer(done.error).detail);
    const manifest = await readManifest(folder);
    context.counts.skipped = manifest.counts.skipped;
    if (flags.errors !== undefined) await copyErrors(folder, manifest, flags.errors);
    return earlier === undefined ? undefined : await writeChanges(folder, manifest, earlier);
  } finally {
    earlier?.close();
    await store.close();
    await database.close();
  }
}

/** @throws UsageError if the folder has something, and is not to be gone on with */
async function prepareFolder(folder: string, resumes: boolean): Promise<void> {
  await mkdir(join(folder, STATE), { recursive: true });
  const others = readdirSync(folder).filter((name) => name !== STATE);
  const hasRun = readdirSync(join(folder, STATE)).length > 0;
  if (resumes || (others.length === 0 && !hasRun)) return;
  const remedy = hasRun ? 'go on with --resume, or choose an empty folder' : 'choose an empty folder';
  throw new UsageError(`--out ${folder}: there is something in it; ${remedy}`);
}

async function openJob(
  { spec, flags }: ChunkSetup,
  { files }: CorpusSource,
  store: JobStore,
): Promise<JobRecord> {
  const { job } = await store
    .create({
      spec,
      digest: hash('sha256', canonicalJson([spec, files, flags.since ?? null]), 'hex'),
      idempotencyKey: KEY,
      upload: null,
      maxErrors: flags.failFast === true ? 0 : null,
      notifies: false,
      keepSeconds: 3650 * DAYS,
    })
    .catch((error: { readonly code?: unknown }) => {
      if (error.code !== 'idempotency_key_reused') throw error;
      throw new UsageError(
        '--resume: the run in this folder has other options, or its files have changed since',
      );
    });
  const isStuck = job.state === 'failed' || job.state === 'cancelled';
  return isStuck ? store.retry(job.id) : job;
}

interface Run {
  readonly setup: ChunkSetup;
  readonly source: CorpusSource;
  readonly store: JobStore;
  readonly folder: string;
  readonly earlier: EarlierIds | undefined;
  readonly context: RunContext;
}

/** Works until the job is over. @throws the signal's reason once it aborts; what was begun is given back */
async function work(
  { setup, source, store, folder, earlier, context }: Run,
  job: JobRecord,
): Promise<JobRecord> {
  const { engine, chunking } = setup;
  const { signal } = context;
  const { documents, chunks, bytes } = job;
  Object.assign(context.counts, { documents: documents.done + documents.failed, chunks, bytes: bytes.read });
  const worker = createJobWorker({
    ...engine,
    store,
    chunking,
    places: placesOf(source, folder),
    settings: {
      leaseSeconds: QUEUE.leaseSeconds,
      documentBytes: engine.config.maxBodyBytes,
      shardBytes: shardBytesFor(source.total ?? 0, Math.max(1, engine.config.workers)),
      shardDocuments: MOST_DOCUMENTS,
    },
    notify: () => Promise.reject(new Error('a command line calls nobody back')),
    filter: (group) => show(group, context, earlier),
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

function show(group: ChunkedDocuments, { counts, progress }: RunContext, earlier: EarlierIds | undefined) {
  for (const { chunks, source, error } of group.documents) {
    counts.documents++;
    counts.chunks += chunks;
    counts.bytes += source.size;
    if (error !== undefined) counts.failed++;
  }
  progress.update();
  return earlier === undefined ? group : onlyChanges(group, earlier, { added: 0, unchanged: 0, deleted: 0 });
}

/** What the job counts is right also if parts of it were done twice. */
function takeCounts({ documents, chunks, bytes }: JobRecord, { counts }: RunContext): void {
  counts.documents = documents.done + documents.failed;
  counts.failed = documents.failed;
  counts.chunks = chunks;
  counts.bytes = bytes.read;
}

function placesOf({ storage, files = [] }: CorpusSource, folder: string): JobPlaces {
  const target = { storage: createLocalFolder(folder), folder: '' };
  return {
    source: async () => ({ storage, from: { files: inOrder(files) } }),
    target: async () => target,
  };
}
