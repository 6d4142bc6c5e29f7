import { type ChunkedDocuments, chunkDocuments } from '../corpus/chunk-documents.ts';
import type { SourceDocument } from '../corpus/shard.ts';
import type { ByteBudget } from '../run/byte-budget.ts';
import type { RunAnswer } from '../run/executor.ts';
import type { Runner } from '../run/runner.ts';
import type { Service } from '../service/service.ts';
import type { JobSpec } from './spec.ts';

/**
 * Chunks documents as a job says, in their order, here or on a server.
 *
 * @throws ServiceError what is wrong with the job, and what the source throws
 * @throws the signal's reason once it aborts
 */
export type Chunking = (
  spec: JobSpec,
  lines: AsyncGenerator<readonly SourceDocument[]>,
  signal: AbortSignal,
) => AsyncGenerator<ChunkedDocuments>;

export interface LocalChunkingOptions {
  readonly service: Pick<Service, 'readStreamPlan'>;
  readonly runner: Pick<Runner, 'run' | 'throughput'>;
  /** Most groups of documents that are worked on at once, or wait for a thread. */
  readonly slots: number;
  readonly byteBudget: ByteBudget;
  /** Told of the times of each group. @param bytes those of its documents */
  onAnswer?(answer: RunAnswer, bytes: number): void;
}

/** Chunks in the worker threads of this process. */
export function localChunking({ service, ...options }: LocalChunkingOptions): Chunking {
  return (spec, lines, signal) => {
    const plan = service.readStreamPlan(spec.task, Buffer.from(JSON.stringify(spec.options)));
    const writes = spec.group === 'document' ? 'documents' : 'chunks';
    return chunkDocuments({ ...options, plan: { ...plan, writes, tellsIds: true }, lines, signal });
  };
}
