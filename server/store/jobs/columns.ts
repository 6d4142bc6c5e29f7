import type { JobCounts, JobRecord, JobState, SkipReason } from './contract.ts';

const COUNTS: Readonly<Record<Exclude<keyof JobCounts, 'left_out' | 'skipped'>, string>> = {
  documents: 'documents',
  failed: 'documents_failed',
  chunks: 'chunks',
  chunks_oversize: 'chunks_oversize',
  embedding_empty: 'embedding_empty',
  embedding_fallback: 'embedding_fallback',
  embedding_cut: 'embedding_cut',
  bytes: 'bytes_read',
};
const SKIPS: Readonly<Record<SkipReason, string>> = {
  no_reader: 'skipped_no_reader',
  binary: 'skipped_binary',
  ignored: 'skipped_ignored',
  unreadable: 'skipped_unreadable',
  empty: 'documents_empty',
};
const OTHERS = [
  'shards_total',
  'shards_open',
  'shards_done',
  'shards_failed',
  'bytes_total',
  'pruned',
  'unpruned',
];

const COUNTERS = [...OTHERS, ...Object.values(COUNTS), ...Object.values(SKIPS)];

export const PROGRESS = {
  documents_so_far: 'documents',
  failed_so_far: 'failed',
  chunks_so_far: 'chunks',
  bytes_so_far: 'bytes',
} as const;

const SUMS = new Map(
  Object.entries(PROGRESS).map(([column, name]) => {
    const running = `bulk_shards.job_id = bulk_jobs.id and bulk_shards.state = 'running'`;
    return [COUNTS[name], `(select coalesce(sum(${column}), 0) from bulk_shards where ${running})`];
  }),
);
const READ = COUNTERS.map((name) => (SUMS.has(name) ? `${name} + ${SUMS.get(name)} as ${name}` : name));
const TIMES = 'created_at, finished_at, expires_at';

/** Selects jobs including the progress of running shards, but without the uploads, which may be long. */
export const SELECT_JOB = `select id, state, digest, spec, error, left_out, ${TIMES}, ${READ.join(', ')} from bulk_jobs`;

/** Inserts a job whose counters are 0. @param given an SQL expression for each other column */
export function insertionOf(given: Readonly<Record<string, string>>): string {
  const columns = [...Object.keys(given), ...COUNTERS];
  const values = [...Object.values(given), ...COUNTERS.map(() => '0')];
  return `insert into bulk_jobs (${columns.join(', ')}) values (${values.join(', ')})`;
}

export function additionOf(counts: JobCounts): { readonly set: string; readonly values: readonly number[] } {
  const { left_out: _, skipped, ...others } = counts;
  const skips = Object.fromEntries(
    Object.keys(SKIPS).map((reason) => [reason, skipped[reason as SkipReason] ?? 0]),
  );
  const columns: Readonly<Record<string, string>> = { ...COUNTS, ...SKIPS };
  const added = Object.entries({ ...others, ...skips });
  const set = added.map(([name]) => `${columns[name]} = ${columns[name]} + ?`).join(', ');
  return { set, values: added.map(([, count]) => count) };
}

/** A row of `SELECT_JOB`. PostgreSQL returns large integers as text. */
export interface JobRow {
  readonly id: string;
  readonly state: JobState;
  readonly digest: string;
  readonly spec: string;
  readonly error: string | null;
  readonly left_out: string | null;
  readonly created_at: number;
  readonly finished_at: number | null;
  readonly expires_at: number;
  readonly [counter: string]: number | string | null;
}

export function toJob(row: JobRow): JobRecord {
  const { id, state, spec, error, left_out, created_at, finished_at, expires_at } = row;
  const number = (column: string) => Number(row[column]);
  const numbers = <Name extends string>(columns: Readonly<Record<Name, string>>) =>
    Object.fromEntries(Object.keys(columns).map((name) => [name, number(columns[name as Name])])) as Record<
      Name,
      number
    >;
  return {
    id,
    spec: JSON.parse(spec),
    state,
    error: error === null ? null : JSON.parse(error),
    shards: {
      total: number('shards_total'),
      open: number('shards_open'),
      done: number('shards_done'),
      failed: number('shards_failed'),
    },
    counts: {
      ...numbers(COUNTS),
      left_out: left_out === null ? {} : JSON.parse(left_out),
      skipped: numbers(SKIPS),
    },
    pruned: number('pruned'),
    unpruned: number('unpruned'),
    bytes_total: number('bytes_total'),
    created_at,
    finished_at,
    expires_at,
  };
}
