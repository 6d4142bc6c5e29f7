import { randomUUID } from 'node:crypto';
import { fromPlainError } from '../../../core/errors.ts';
import { withLinkedStop } from '../../engine/abort.ts';
import type { Runner } from '../../engine/run/runner.ts';
import type { Claim, JobRecord, JobStore, PruneCounts } from '../../store/jobs/contract.ts';
import { outputsOf } from './finish-job.ts';
import { sourceInSink } from './note-documents.ts';
import { STORING } from './shard-sink.ts';
import type { JobSpec } from './spec.ts';

/** Removes all chunks of documents from the sink of a job. @throws ServiceError if the sink fails */
export type RemoveDocuments = (spec: JobSpec, ids: readonly string[], signal: AbortSignal) => Promise<void>;

/** Removes in the worker threads of this process. */
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
 * Removes documents from the sink of a job that an earlier job with the same source has stored and this one has not
 * found. Documents of other sources stay. Each batch is removed from the sink before its record: after a crash, it
 * resumes there.
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
 * Whether there may be documents that the job does not know: those of lines with unreadable ids, or all of them if it
 * found none, since folders are unreachable more often than empty.
 */
async function mayBeIncomplete(job: JobRecord, store: PruneTools['store']): Promise<boolean> {
  if (job.counts.documents === job.counts.failed) return true;
  for await (const { output } of outputsOf({ jobId: job.id }, store)) {
    if ((output.unidentified ?? 0) > 0) return true;
  }
  return false;
}
