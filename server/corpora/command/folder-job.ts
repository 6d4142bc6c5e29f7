import { hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { reasonOf, ServiceError } from '../../../core/errors.ts';
import { UsageError } from '../../cli/errors.ts';
import { makeFolder as make } from '../../config/folders.ts';
import { canonicalJson } from '../../engine/read/json.ts';
import type { JobRecord, JobStore } from '../../store/jobs/contract.ts';
import { shardsOf } from '../jobs/job-output.ts';
import type { JobSpec } from '../jobs/spec.ts';
import type { ShardRange } from '../shard.ts';
import type { StoredFile } from '../storage/storage.ts';
import type { ChunkSetup } from './setup.ts';

/** The folder for the state of a run, inside the output folder. */
export const STATE = '.chunksmith';
const LOCK = 'lock';
/** SQLite's error code for a database that another process has locked. */
const BUSY = 5;
/** The idempotency key of the job. It is always the same, because a folder has one job. */
const KEY = 'chunk';
/** 100 years: the job is kept as long as its folder. */
const KEEP_SECONDS = 100 * 365 * 24 * 3600;

/** @throws UsageError if the folder cannot be created */
export async function makeFolder(folder: string): Promise<void> {
  await make(join(folder, STATE)).catch((error: unknown) => {
    throw new UsageError(`--out ${folder}: ${reasonOf(error)}`);
  });
}

export function holdFolder(folder: string): () => void {
  const lock = new DatabaseSync(join(folder, STATE, LOCK));
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if ((error as { readonly errcode?: number }).errcode !== BUSY) throw error;
    throw new UsageError(
      `--out ${folder}: another run is writing to this folder; wait until it ends, or stop it`,
    );
  }
  return () => lock.close();
}

/** @throws UsageError if the folder is not empty and the run does not resume an earlier one */
export function checkFolder(folder: string, resumes: boolean): void {
  const others = readdirSync(folder).filter((name) => name !== STATE);
  const hasRun = readdirSync(join(folder, STATE)).some((name) => name !== LOCK);
  if (resumes || (others.length === 0 && !hasRun)) return;
  const remedy = hasRun ? 'resume with --resume, or choose an empty folder' : 'choose an empty folder';
  throw new UsageError(`--out ${folder}: it is not empty; ${remedy}`);
}

/**
 * Creates the job of a folder, or opens the existing job. No other process may use the folder.
 *
 * @throws UsageError if the folder has a different job
 */
export async function openJob(setup: ChunkSetup, store: JobStore): Promise<JobRecord> {
  const { job, isNew } = await createJob(setup, store);
  if (isNew || job.state === 'done') return job;
  // Otherwise the run would wait until the lease of a killed process expires, and count that as a failure.
  await store.cancel(job.id);
  return store.retry(job.id);
}

async function createJob({ spec, flags, source: { files } }: ChunkSetup, store: JobStore) {
  try {
    return await store.create({
      spec,
      digest: hash('sha256', canonicalJson([spec, files, flags.since ?? null]), 'hex'),
      idempotencyKey: KEY,
      upload: null,
      maxErrors: flags.failFast === true ? 0 : null,
      notifies: false,
      keepSeconds: KEEP_SECONDS,
    });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'idempotency_key_reused') throw error;
    const before = await store.get(String(error.values.id));
    throw new UsageError(`--resume: ${await differenceFrom(before, { spec, files }, store)}`);
  }
}

async function differenceFrom(
  { id, spec }: JobRecord,
  now: Pick<ChunkSetup['source'], 'files'> & Pick<ChunkSetup, 'spec'>,
  store: JobStore,
): Promise<string> {
  const [old, asked] = [spec as JobSpec, now.spec].map(flagsOf);
  const differing = [...new Set([...Object.keys(old ?? {}), ...Object.keys(asked ?? {})])].filter(
    (flag) => old?.[flag] !== asked?.[flag],
  );
  if (differing.length > 0) {
    const given = differing.map(
      (flag) => `${flag} ${old?.[flag] ?? '(left out)'}, not ${asked?.[flag] ?? '(left out)'}`,
    );
    return `the run in this folder has ${given.join('; ')}`;
  }
  const changed = await changedFile(id, now.files ?? [], store);
  if (changed !== undefined) return `${changed} was changed, added or removed since; choose an empty folder`;
  return 'the run in this folder has another --since';
}

function flagsOf({ source, task, options, group, target }: JobSpec): Readonly<Record<string, string>> {
  const { fields = {}, format } = source;
  const work =
    task.run === 'chunk' ? { '--chunker': task.name } : { '--pipeline': JSON.stringify(task.steps) };
  const named = Object.entries(fields).map(([name, value]) => [`--${name}-field`, String(value)]);
  const chosen = Object.entries(options).map(([name, value]) => [
    `--${name.replaceAll('_', '-')}`,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const written = { '--group': group, '--out-format': target.format ?? 'jsonl' };
  return { ...work, '--format': format, ...written, ...Object.fromEntries([...named, ...chosen]) };
}

async function changedFile(
  id: string,
  files: readonly StoredFile[],
  store: JobStore,
): Promise<string | undefined> {
  const left = new Map(files.map(({ name, version }) => [name, version]));
  const seen = new Set<string>();
  for await (const { range } of shardsOf(id, store)) {
    for (const { name, version } of (range as ShardRange).files) {
      if (left.get(name) !== version) return name;
      seen.add(name);
    }
  }
  return files.find(({ name }) => !seen.has(name))?.name;
}
