import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { countTotals } from '../../engine/answer/response-metadata.ts';
import type { JobLoad } from '../../store/jobs/contract.ts';
import type { Tally } from '../chunk-documents.ts';
import type { ShardOutcome } from '../jobs/worker.ts';

export type JobMetrics = ReturnType<typeof addJobMetrics>;

const SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];

/** Adds counters for jobs in this process. @param load queries the store for the load of all machines */
export function addJobMetrics(registry: Registry, load: () => Promise<JobLoad>) {
  addLoad(registry, load);
  const registers = [registry];
  const count = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `chunksmith_bulk_${name}_total`, help, labelNames, registers });
  const documents = count(
    'documents',
    'Documents of jobs that were chunked, or failed, and files that were skipped.',
    'result',
  );
  // Starts these series at 0. Otherwise a rate would not show the failure with which a series begins.
  for (const result of ['done', 'failed', 'skipped']) documents.inc({ result }, 0);
  const totals = countTotals((name, help) => count(name, help));
  const read = count('bytes', 'Bytes of chunked documents of jobs.');
  const lost = count('lease_lost', 'Shards that another worker took over while they were being processed.');
  const shards = new Histogram({
    name: 'chunksmith_bulk_shard_seconds',
    help: 'Duration of work on a shard of a job, by outcome: done, failed, lost or returned.',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers,
  });
  return {
    shard(outcome: ShardOutcome, seconds: number, skipped: number): void {
      documents.inc({ result: 'skipped' }, skipped);
      shards.observe({ outcome }, seconds);
      if (outcome === 'lost') lost.inc();
    },
    chunked(gain: Readonly<Tally>): void {
      documents.inc({ result: 'done' }, gain.documents - gain.failed);
      documents.inc({ result: 'failed' }, gain.failed);
      totals(gain);
      read.inc(gain.bytes);
    },
  };
}

function addLoad(registry: Registry, load: () => Promise<JobLoad>): void {
  const recent = recently(load);
  const registers = [registry];
  new Gauge({
    name: 'chunksmith_bulk_shards',
    help: 'Shards of all stored jobs, by state; every process reports the same.',
    labelNames: ['state'],
    registers,
    aggregator: 'max',
    async collect() {
      const found = await recent();
      if (found === undefined) return;
      for (const [state, count] of Object.entries(found.shards)) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'chunksmith_bulk_oldest_ready_seconds',
    help: 'How long the oldest waiting shard has waited; every process reports the same.',
    registers,
    aggregator: 'max',
    async collect() {
      const found = await recent();
      if (found !== undefined) this.set(found.oldestReadySeconds);
    },
  });
}

/** Milliseconds for which an answer from the store is reused. */
const FRESH = 5000;
/** Milliseconds that a scrape waits for the store. After that, the scrape gets the previous values. */
const TIMEOUT = 1000;

/** Caches the load of all machines briefly. The load is undefined until the store has answered once. */
function recently(load: () => Promise<JobLoad>): () => Promise<JobLoad | undefined> {
  let last: JobLoad | undefined;
  let asked = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  const ask = async () => {
    asked = performance.now();
    last = await load().catch(() => last);
    asking = undefined;
  };
  return async () => {
    if (performance.now() - asked > FRESH) asking ??= ask();
    if (asking !== undefined) await Promise.race([asking, sleep(TIMEOUT, undefined, { ref: false })]);
    return last;
  };
}
