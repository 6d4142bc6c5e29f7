import type { Service } from '../../engine/service.ts';
import { type ChunkedDocuments, chunkDocuments, type Documents } from '../chunk-documents.ts';
import type { SourceDocument } from '../shard.ts';
import type { JobSpec } from './spec.ts';

/**
 * Chunks documents as a job says, in order, here or on a server.
 *
 * @throws ServiceError errors of the job, and what the source throws
 * @throws the signal's reason once it aborts
 */
export type Chunking = (
  spec: JobSpec,
  lines: AsyncGenerator<readonly SourceDocument[]>,
  signal: AbortSignal,
) => AsyncGenerator<ChunkedDocuments>;

export interface LocalChunkingOptions extends Omit<Documents, 'plan' | 'lines' | 'signal'> {
  readonly service: Pick<Service, 'readStreamPlan'>;
}

/** Chunks in the worker threads of this process. */
export function localChunking({ service, ...options }: LocalChunkingOptions): Chunking {
  return (spec, lines, signal) => {
    const plan = service.readStreamPlan(spec.task, Buffer.from(JSON.stringify(spec.options)));
    const writes = spec.group === 'document' ? 'documents' : 'chunks';
    return chunkDocuments({ ...options, plan: { ...plan, writes, tellsIds: true }, lines, signal });
  };
}
