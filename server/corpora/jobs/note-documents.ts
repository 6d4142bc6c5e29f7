import { hash } from 'node:crypto';
import { canonicalJson } from '../../engine/read/json.ts';
import type { Claim, JobStore, SourceInSink } from '../../store/jobs/contract.ts';
import {
  type ChunkedDocument,
  type ChunkedDocuments,
  type DocumentError,
  failedDocument,
  withLines,
} from '../chunk-documents.ts';
import type { StoreChunks } from './shard-sink.ts';
import type { JobSpec } from './spec.ts';

/**
 * Identifies the source and the sink of a job. Requests that contain their documents count as one source, which is
 * never pruned. A trailing slash of a path does not matter.
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

type NoteStore = Pick<JobStore, 'noteStored' | 'noteFailed'>;
type Shard = Pick<Claim, 'jobId' | 'seq' | 'spec'>;

/**
 * Records documents before they are stored, so that those a crash leaves over are known, and those that failed. If
 * documents have the same id, one is stored and the others fail: each would remove the chunks of the previous one.
 */
export function remembering(store: StoreChunks, shard: Shard, notes: NoteStore): StoreChunks {
  const of = sourceInSink(shard.spec as JobSpec);
  if (of === undefined) return store;
  const seen = new Set<string>();
  return async (bytes, given) => {
    const ids = given.filter(({ error }) => error === undefined).map(idOf);
    const others = new Set(await notes.noteStored(shard, of, ids.filter(isId)));
    const isTaken = ({ id, error }: ChunkedDocument) => {
      if (id === undefined || error !== undefined) return false;
      const isOther = others.has(id) || seen.has(id);
      seen.add(id);
      return isOther;
    };
    const group = failing(isTaken, { bytes, documents: given });
    const stored = await store(group.bytes, group.documents);
    await noteFailed(stored.filter(({ error }) => error !== undefined).map(idOf), shard, notes);
    return stored;
  };
}

/** Fails some documents, whose lines are dropped. */
function failing(isTaken: (document: ChunkedDocument) => boolean, group: ChunkedDocuments): ChunkedDocuments {
  const taken = new Set(group.documents.filter(isTaken));
  if (taken.size === 0) return group;
  const kept = [...withLines(group)].filter(({ document }) => !taken.has(document));
  const documents = group.documents.map((document) =>
    taken.has(document) ? failedDocument(document.source, document.id, takenError(document.id)) : document,
  );
  return { bytes: Buffer.concat(kept.flatMap(({ lines }) => lines)), documents };
}

function takenError(id: string | undefined): DocumentError {
  const detail = `another document of this job has the id ${JSON.stringify(id)}, and a sink keeps only one; give each its own id`;
  return { status: 400, detail };
}

const idOf = ({ id }: ChunkedDocument) => id;
const isId = (id: string | undefined) => id !== undefined;

/** Records that documents still exist, although they failed or were skipped this time. */
export async function noteFailed(
  given: readonly (string | undefined)[],
  { jobId, spec }: Pick<Claim, 'jobId' | 'spec'>,
  notes: Pick<JobStore, 'noteFailed'>,
): Promise<void> {
  const of = sourceInSink(spec as JobSpec);
  const ids = given.filter(isId);
  if (of !== undefined && ids.length > 0) await notes.noteFailed(jobId, of, ids);
}
