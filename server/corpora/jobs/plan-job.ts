import { invalid, ServiceError } from '../../../core/errors.ts';
import {
  type Claim,
  type JobStore,
  NO_DOCUMENTS,
  type PlannedShard,
  type ShardResult,
} from '../../store/jobs/contract.ts';
import { planShards } from '../plan-shards.ts';
import type { ShardRange } from '../shard.ts';
import { takeFolder } from './job-folder.ts';
import type { JobLocations, JobSpec } from './spec.ts';

export interface PlanTools {
  readonly store: Pick<JobStore, 'addShards' | 'get'>;
  readonly locations: JobLocations;
  readonly shardBytes: number;
  readonly shardDocuments: number;
}

const BATCH = 1000;

const NO_MEMBERS =
  'source.fields: each file is one text and has no members; use "format": "csv" or "jsonl" to read rows or lines';

/**
 * Divides the source of a job into shards and stores them. Every attempt must give the same shards, because
 * an earlier attempt that crashed may have stored some of them.
 *
 * @throws ServiceError errors of the source or the target
 * @throws the signal's reason once it aborts
 */
export async function planJob(claim: Claim, signal: AbortSignal, tools: PlanTools): Promise<ShardResult> {
  const spec = claim.spec as JobSpec;
  await takeFolder(await tools.locations.target(spec), claim);
  const { storage, from } = await tools.locations.source(spec, claim);
  const { shardBytes, shardDocuments } = tools;
  const { format, fields } = spec.source;
  const ranges = planShards(storage, { ...from, format, shardBytes, shardDocuments });
  let next = 0;
  let hasMembers = fields === undefined;
  for await (const shards of inBatches(ranges)) {
    signal.throwIfAborted();
    hasMembers ||= shards.some(({ range }) => range.format !== 'files');
    if (!(await tools.store.addShards(claim, next, shards)))
      throw new Error('the plan is another worker\u2019s');
    next += shards.length;
  }
  if (!hasMembers) throw invalid(NO_MEMBERS);
  // `shards.total` includes shards that only an earlier attempt has planned.
  const { shards } = await tools.store.get(claim.jobId);
  if (shards.total !== next) throw new ServiceError('source_changed', { source: 'The source' });
  return NO_DOCUMENTS;
}

type RangeShard = PlannedShard & { readonly range: ShardRange };

async function* inBatches(ranges: AsyncIterable<ShardRange>): AsyncGenerator<readonly RangeShard[]> {
  let batch: RangeShard[] = [];
  for await (const range of ranges) {
    batch.push({ range, bytes: range.bytes });
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
