import { hash } from 'node:crypto';
import { canonicalJson } from '../../engine/read/canonical-json.ts';
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

type NoteStore = Pick<JobStore, 'noteStored' | 'noteFailed'>;
type Shard = Pick<Claim, 'jobId' | 'seq' | 'spec'>;

/**
 * Remembers documents before they are stored, so that those are known which a crash leaves behind, and those that failed. Of
 * documents with the same id one is stored and the others fail: each would remove the chunks of the one before.
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

/** Fails some documents, whose lines are left out. */
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
  const detail = `another document of this job has the id ${JSON.stringify(id)}, and a sink keeps one; give each its own`;
  return { status: 400, detail };
}

const idOf = ({ id }: ChunkedDocument) => id;
const isId = (id: string | undefined) => id !== undefined;

/** Remembers that documents are not gone, though this time they failed or were skipped. */
export async function noteFailed(
  given: readonly (string | undefined)[],
  { jobId, spec }: Pick<Claim, 'jobId' | 'spec'>,
  notes: Pick<JobStore, 'noteFailed'>,
): Promise<void> {
  const of = sourceInSink(spec as JobSpec);
  const ids = given.filter(isId);
  if (of !== undefined && ids.length > 0) await notes.noteFailed(jobId, of, ids);
}
