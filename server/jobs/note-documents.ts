import { hash } from 'node:crypto';
import type { ChunkedDocument } from '../corpus/chunk-documents.ts';
import { canonicalJson } from '../service/canonical-json.ts';
import type { Claim, JobStore, SourceInSink } from '../store/jobs/contract.ts';
import type { StoreChunks } from './shard-sink.ts';
import type { JobSpec } from './spec.ts';

/**
 * The source and the sink of a job. Requests that bring their documents are one source, which is never pruned. Paths with and
 * without a slash at the end are the same.
 */
export function sourceInSink({ source, target: { sink } }: JobSpec): SourceInSink | undefined {
  if (sink === undefined) return undefined;
  const { path, ...rest } = source;
  const from = path === undefined ? {} : { ...rest, path: path.replace(/(?<=[^/])\/+$/, '') };
  return { sink: digest(sink), source: digest(from) };
}

function digest(value: object): string {
  return hash('sha256', canonicalJson(value), 'base64url').slice(0, 22);
}

type NoteStore = Pick<JobStore, 'noteDocuments'>;
type Job = Pick<Claim, 'jobId' | 'spec'>;

/** Remembers documents before they are stored, so that those are known which a crash leaves behind, and those that failed. */
export function remembering(store: StoreChunks, job: Job, notes: NoteStore): StoreChunks {
  return async (bytes, documents) => {
    await note(documents.filter(({ error }) => error === undefined).map(idOf), job, notes, true);
    const stored = await store(bytes, documents);
    await noteFailed(documents.filter(({ error }) => error !== undefined).map(idOf), job, notes);
    return stored;
  };
}

const idOf = ({ id }: ChunkedDocument) => id;

/** Remembers that documents are not gone, though this time they failed or were skipped. */
export function noteFailed(ids: readonly (string | undefined)[], job: Job, notes: NoteStore): Promise<void> {
  return note(ids, job, notes, false);
}

async function note(
  given: readonly (string | undefined)[],
  { jobId, spec }: Job,
  notes: NoteStore,
  areStored: boolean,
): Promise<void> {
  const of = sourceInSink(spec as JobSpec);
  const ids = given.filter((id) => id !== undefined);
  if (of !== undefined && ids.length > 0) await notes.noteDocuments(jobId, of, ids, areStored);
}
