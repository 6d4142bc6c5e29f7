/** What a route takes and answers, as it is shown. */
export interface Example {
  readonly request?: unknown;
  readonly answer: unknown;
}

/** Example requests and answers about one job, by the id of the operation; the request works when it is pasted. */
export function jobExamplesOf(steps: readonly object[]): Readonly<Record<string, Example>> {
  const id = '5b0c2c3e-8a4d-4f5e-9b1a-2c3d4e5f6a7b';
  const counts = {
    shards: { total: 1, done: 1, failed: 0 },
    documents: { done: 2, failed: 0, skipped: 0 },
    skipped_reasons: {},
    chunks: 2,
    embedding_empty: 0,
    pruned: 0,
    unpruned: 0,
    bytes: { read: 116, total: 116 },
  };
  const job = {
    id,
    state: 'done',
    error: null,
    source: { format: 'jsonl' },
    target: { path: `chunksmith-jobs/${id}` },
    group: 'chunk',
    ...counts,
    bytes_per_second: 95,
    seconds_left: null,
    created_at: '2026-01-02T03:04:05.123Z',
    finished_at: '2026-01-02T03:04:06.345Z',
    expires_at: '2026-01-09T03:04:06.345Z',
  };
  const documents = [
    { id: 'tea', text: 'Let black tea steep for three minutes.' },
    { id: 'milk', text: 'Add a little milk, if you like.' },
  ];
  return {
    create_job: { request: { source: { documents }, steps }, answer: planned(job) },
    list_jobs: { answer: [job] },
    get_job: { answer: job },
  };
}

/** The same job, when it was just made. */
function planned<T extends object>(job: T): object {
  return {
    ...job,
    state: 'planning',
    shards: { total: 0, done: 0, failed: 0 },
    documents: { done: 0, failed: 0, skipped: 0 },
    chunks: 0,
    bytes: { read: 0, total: 0 },
    bytes_per_second: 0,
    finished_at: null,
  };
}
