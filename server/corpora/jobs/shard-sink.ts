import { randomUUID } from 'node:crypto';
import { fromPlainError } from '../../../core/errors.ts';
import { withLinkedStop } from '../../engine/abort.ts';
import { NO_VECTOR_TOTALS } from '../../engine/answer/response-metadata.ts';
import type { LineOutcome } from '../../engine/read/plan.ts';
import type { Runner } from '../../engine/run/runner.ts';
import type { ChunkedDocument } from '../chunk-documents.ts';
import type { JobSpec } from './spec.ts';

/**
 * Stores the chunks of documents in a sink, and removes those that earlier runs stored for these documents and that
 * no longer exist.
 *
 * @param bytes a line for each chunk; they are transferred
 * @returns the documents, with errors for those that cannot be stored
 * @throws ServiceError if the sink is at fault
 */
export type StoreChunks = (
  bytes: Uint8Array,
  documents: readonly ChunkedDocument[],
) => Promise<readonly ChunkedDocument[]>;

/** Creates the function that stores the chunks of one shard; undefined if its job has no sink. */
export type Storing = (spec: JobSpec, signal: AbortSignal) => StoreChunks | undefined;

/** Sinks are never rejected, and have their own database timeouts. */
export const STORING = { urgency: 'bulk', hasNoDeadline: true } as const;

/** Stores in the worker threads of this process: in this thread, chunks are bytes that are never parsed. */
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
    ...NO_VECTOR_TOTALS,
    ids: [],
    error: fromPlainError(outcome.error),
  };
}
