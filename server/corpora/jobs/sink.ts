import { hash, randomUUID } from 'node:crypto';
import { fromPlainError } from '../../../core/errors.ts';
import { withLinkedStop } from '../../engine/abort.ts';
import { NO_TOTALS } from '../../engine/answer/response-metadata.ts';
import { canonicalJson } from '../../engine/read/json.ts';
import type { LineOutcome } from '../../engine/read/plan.ts';
import type { Runner } from '../../engine/run/runner.ts';
import type { Claim, JobRecord, JobStore, PruneCounts, SourceInSink } from '../../store/jobs/contract.ts';
import {
  type ChunkedDocument,
  type ChunkedDocuments,
  type DocumentError,
  failedDocument,
  withLines,
} from '../chunk-documents.ts';
import { outputsOf } from './job-output.ts';
import type { JobSpec } from './spec.ts';

/**
 * Stores chunks of documents in a sink, replacing the chunks of earlier runs of the same documents.
 *
 * @param bytes one line per chunk; the memory is transferred
 * @returns the documents, with errors for those that cannot be stored
 * @throws ServiceError if the sink fails
 */
export type StoreChunks = (
  bytes: Uint8Array,
  documents: readonly ChunkedDocument[],
) => Promise<readonly ChunkedDocument[]>;

export type Storing = (spec: JobSpec, signal: AbortSignal) => StoreChunks | undefined;

/** The queue never rejects work for sinks. Sinks have their own database timeouts instead of a deadline. */
const STORING = { urgency: 'bulk', hasNoDeadline: true } as const;

export function storingIn(runner: Pick<Runner, 'run'>): Storing {
  return ({ target: { sink } }, signal) => {
    if (sink === undefined) return undefined;
    const owner = randomUUID();
    return async (bytes, documents) => {
      const chunked = documents.filter(({ error }) => error === undefined);
      if (chunked.length === 0) return documents;
      const given = chunked.map(({ id, chunks }) => ({ id, chunks }));
      const { outcomes = [] } = await withLinkedStop(signal, (stop) =>
        runner.run({ run: 'store', sink, owner, documents: given }, bytes, stop, STORING),
      );
      const outcomeOf = new Map(chunked.map((document, index) => [document, outcomes[index]]));
      return documents.map((document) => withOutcome(document, outcomeOf.get(document)));
    };
  };
}

function withOutcome(document: ChunkedDocument, outcome: LineOutcome | undefined): ChunkedDocument {
  if (outcome === undefined || !('error' in outcome)) return document;
  return {
    ...document,
    chunks: 0,
    ...NO_TOTALS,
    ids: [],
    error: fromPlainError(outcome.error),
  };
}

/**
 * Identifies the source and the sink of a job, ignoring a trailing slash of a path. Documents in requests
 * count as one source, which is never pruned.
 */
function sourceInSink({ source, target: { sink } }: JobSpec): SourceInSink | undefined {
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
 * Records documents before they are stored, so that failed documents and leftovers of a crash are known.
 * Documents with the same id fail, except one, instead of replacing each other.
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

/** Records that these failed or skipped documents still exist, so that they are not pruned. */
export async function noteFailed(
  given: readonly (string | undefined)[],
  { jobId, spec }: Pick<Claim, 'jobId' | 'spec'>,
  notes: Pick<JobStore, 'noteFailed'>,
): Promise<void> {
  const of = sourceInSink(spec as JobSpec);
  const ids = given.filter(isId);
  if (of !== undefined && ids.length > 0) await notes.noteFailed(jobId, of, ids);
}

/** Removes all chunks of documents from the sink of a job. @throws ServiceError if the sink fails */
export type RemoveDocuments = (spec: JobSpec, ids: readonly string[], signal: AbortSignal) => Promise<void>;

export function removingIn(runner: Pick<Runner, 'run'>): RemoveDocuments {
  return async ({ target: { sink } }, ids, signal) => {
    if (sink === undefined || ids.length === 0) return;
    const documents = ids.map((id) => ({ id, chunks: 0 }));
    const { outcomes = [] } = await withLinkedStop(signal, (stop) =>
      runner.run({ run: 'store', sink, owner: randomUUID(), documents }, new Uint8Array(0), stop, STORING),
    );
    for (const outcome of outcomes) if ('error' in outcome) throw fromPlainError(outcome.error);
  };
}

export interface PruneTools {
  readonly store: Pick<JobStore, 'get' | 'shards' | 'goneDocuments' | 'countGone' | 'forgetDocuments'>;
  readonly remove: RemoveDocuments;
}

/**
 * Prunes a job's sink: removes documents that an earlier job with the same source stored and this job did not
 * find. Each batch is removed before its records, so that pruning can resume after a crash.
 *
 * @returns undefined if the job does not prune, or will fail
 * @throws ServiceError if the sink fails
 * @throws the signal's reason once it aborts
 */
export async function pruneSink(
  claim: Claim,
  signal: AbortSignal,
  { store, remove }: PruneTools,
): Promise<PruneCounts | undefined> {
  const spec = claim.spec as JobSpec;
  const of = sourceInSink(spec);
  if (of === undefined || spec.prune !== true) return undefined;
  const { jobId } = claim;
  const forget = async (ids: readonly string[], counts: PruneCounts) => {
    const isMine = await store.forgetDocuments(claim, of, ids, counts);
    if (!isMine) throw new Error('the finish is another worker\u2019s');
  };
  const job = await store.get(jobId);
  if (job.shards.failed > 0) return undefined;
  if (await mayBeIncomplete(job, store)) {
    const unpruned = (await store.countGone(jobId, of)) - job.unpruned;
    await forget([], { pruned: 0, unpruned });
  } else {
    for (;;) {
      const gone = await store.goneDocuments(jobId, of);
      if (gone.length === 0) break;
      signal.throwIfAborted();
      const ids = gone.filter(({ isElsewhere }) => !isElsewhere).map(({ id }) => id);
      await remove(spec, ids, signal);
      const all = gone.map(({ id }) => id);
      await forget(all, { pruned: ids.length, unpruned: 0 });
    }
  }
  const { pruned, unpruned } = await store.get(jobId);
  return { pruned, unpruned };
}

/**
 * Whether documents may exist that the job does not know, because ids were unreadable. Also true if the job
 * read no document: an unreachable folder is more likely than an empty one.
 */
async function mayBeIncomplete(job: JobRecord, store: PruneTools['store']): Promise<boolean> {
  if (job.counts.documents === job.counts.failed) return true;
  for await (const { output } of outputsOf({ jobId: job.id }, store)) {
    if ((output.unidentified ?? 0) > 0) return true;
  }
  return false;
}
