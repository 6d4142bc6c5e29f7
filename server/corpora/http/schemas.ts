import type { FastifySchema } from 'fastify';
import type { Registry } from '../../../core/hosting/registry.ts';
import { NO_TOTALS } from '../../engine/answer/response-metadata.ts';
import { count, described, listOf, object, text } from '../../engine/answer/schemas.ts';
import { errorAnswers, jsonAnswer, lines, nextPage, orLines } from '../../http/docs/answer-schemas.ts';
import { exampleSteps, sentSteps } from '../../http/docs/example-answers.ts';
import { withSteps } from '../../http/pipelines/schemas.ts';
import { LINES } from '../../http/transport/media.ts';
import type { Services } from '../../http/transport/services.ts';
import { type JobAnswer, job, leftOut, shard, skippedReasons } from '../jobs/answers.ts';
import { jobBody, jobsQuery, shardsQuery } from './request-schemas.ts';
import { EVENTS } from './watch.ts';

const file = { title: 'WrittenFile', ...object({ name: text, bytes: count, sha256: text }) };

const counts = { documents: count, failed: count, skipped: count, chunks: count };

const manifest = {
  title: 'JobManifest',
  ...object({
    shards: listOf(
      object({
        seq: count,
        ...counts,
        files: {
          type: 'object',
          properties: { part: file, errors: file, ids: file },
          description: 'The chunks, the failed documents, and the chunk ids of each document.',
        },
      }),
    ),
    counts: object(
      { ...counts, skipped_reasons: skippedReasons, left_out: leftOut, pruned: count, unpruned: count },
      ['pruned', 'unpruned'],
    ),
  }),
};

const tags = ['jobs'];

const params = object({ job_id: described('The `id` of the job.', text) });

const ofJob = (
  operationId: string,
  summary: string,
  description: string,
  response: object,
): FastifySchema => ({
  tags,
  operationId,
  summary,
  description,
  params,
  response,
});

const jobLines = {
  title: 'JobLines',
  ...lines,
  contentSchema: job,
  description: 'A `Job` at once, and whenever it has changed.',
};

const events = ofJob(
  'watch_job',
  'Watch a job',
  'Server-sent events: the current job, then the job whenever it has changed, until it ends. With `Accept: application/x-ndjson` lines of JSON.',
  {
    200: {
      description: 'The job at each change.',
      content: { [EVENTS]: { schema: text }, [LINES]: { schema: jobLines } },
    },
    204: { type: 'null', description: 'The client has already received the last event (Last-Event-ID).' },
  },
);

const result = ofJob(
  'get_job_result',
  'Get the result of a job',
  'The manifest, which names the part files; with `Accept: application/x-ndjson` the lines of all of them, in the order of the source.',
  {
    200: orLines(
      jsonAnswer('The manifest, or the chunks.', manifest),
      described('A line for each chunk, or for each document.', lines),
    ),
    ...errorAnswers([409]),
  },
);

const errorLines = described('A line for each failed document and each skipped file.', lines);
const errors = ofJob(
  'get_job_errors',
  'Get the errors of a job',
  'A line for each failed document: where it is, its id, and its error; and one for each skipped file, with the reason as `skipped` and no `status`. While the job runs, those of finished shards.',
  {
    200: {
      description: 'Failed documents and skipped files.',
      content: { [LINES]: { schema: errorLines } },
    },
  },
);

const idempotency = {
  type: 'object',
  properties: {
    'idempotency-key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'Repeating the request with the same key returns the existing job, so that a request can be retried.',
    },
  },
};

const location = { location: described('URL of the job.', text) };

const ID = '5b0c2c3e-8a4d-4f5e-9b1a-2c3d4e5f6a7b';

const exampleJob: JobAnswer = {
  id: ID,
  state: 'done',
  error: null,
  source: { format: 'jsonl' },
  target: { path: `chunksmith-jobs/${ID}` },
  group: 'chunk',
  shards: { total: 1, done: 1, failed: 0 },
  documents: { done: 2, failed: 0, skipped: 0 },
  skipped_reasons: {},
  left_out: {},
  chunks: 2,
  ...NO_TOTALS,
  pruned: 0,
  unpruned: 0,
  bytes: { read: 116, total: 116 },
  bytes_per_second: 95,
  seconds_left: null,
  created_at: '2026-01-02T03:04:05.123Z',
  finished_at: '2026-01-02T03:04:06.345Z',
  expires_at: '2026-01-09T03:04:06.345Z',
};

const exampleNewJob: JobAnswer = {
  ...exampleJob,
  state: 'planning',
  shards: { total: 0, done: 0, failed: 0 },
  documents: { done: 0, failed: 0, skipped: 0 },
  chunks: 0,
  bytes: { read: 0, total: 0 },
  bytes_per_second: 0,
  finished_at: null,
};

const exampleRequest = (registry: Registry) => ({
  source: {
    documents: [
      { id: 'tea', text: 'Let black tea steep for three minutes.' },
      { id: 'milk', text: 'Add a little milk, if you like.' },
    ],
  },
  steps: sentSteps(exampleSteps(registry)),
});

const CREATE = `Chunks a corpus in the background: files below the root of the server, in a bucket that it has a connection to,
or documents in the request. The work survives a restart of the server, and workers on several machines share it. The
chunks are written as JSON Lines to part files, then a manifest; ids are derived from the documents, so that a second run
writes the same. Steps, paths, sink and callback are checked now.`;

const create = ({ config: { idNamespace }, registry }: RouteSettings): FastifySchema => ({
  tags,
  operationId: 'create_job',
  summary: 'Create a job',
  description: CREATE,
  headers: idempotency,
  body: withSteps('JobInput', jobBody(idNamespace), exampleRequest(registry)),
  response: {
    200: jsonAnswer('The existing job with this Idempotency-Key.', job, location),
    202: jsonAnswer('The job was created, and runs when its turn comes.', job, location, exampleNewJob),
    ...errorAnswers([422]),
  },
});

const list: FastifySchema = {
  tags,
  operationId: 'list_jobs',
  summary: 'List jobs',
  description:
    'The jobs, newest first, at most `limit` of them; the headers Link and x-next-cursor lead to the next page.',
  querystring: jobsQuery,
  response: { 200: jsonAnswer('A page of them.', listOf(job), nextPage, [exampleJob]) },
};

const shards: FastifySchema = {
  ...ofJob(
    'list_shards',
    'List shards',
    'The parts that the source of a job is divided into, in order, with the errors of failed ones.',
    { 200: jsonAnswer('A page of them.', listOf(shard), nextPage) },
  ),
  querystring: shardsQuery,
};

const get = ofJob('get_job', 'Get a job', 'Its state and progress.', {
  200: jsonAnswer('The job.', job, {}, exampleJob),
});

const now = jsonAnswer('The job as it is now.', job);
const cancel = ofJob('cancel_job', 'Cancel a job', 'Stops its running work. A finished job stays as it is.', {
  200: now,
});
const retry = ofJob(
  'retry_job',
  'Retry a job',
  'Reopens a job that failed or was cancelled. Only its unfinished shards are run.',
  { 200: now, ...errorAnswers([409]) },
);

const remove = ofJob(
  'delete_job',
  'Delete a job',
  'Removes a finished job and the files that it has written.',
  {
    204: { type: 'null', description: 'The job was deleted.' },
    ...errorAnswers([409]),
  },
);

type RouteSettings = Pick<Services, 'config' | 'registry'>;

const JOB = '/v1/jobs/:job_id';

export function jobRoutesOf(settings: RouteSettings) {
  return {
    create: { method: 'POST', url: '/v1/jobs', schema: create(settings) },
    list: { method: 'GET', url: '/v1/jobs', schema: list },
    get: { method: 'GET', url: JOB, schema: get },
    shards: { method: 'GET', url: `${JOB}/shards`, schema: shards },
    events: { method: 'GET', url: `${JOB}/events`, schema: events },
    result: { method: 'GET', url: `${JOB}/result`, schema: result },
    errors: { method: 'GET', url: `${JOB}/errors`, schema: errors },
    cancel: { method: 'POST', url: `${JOB}/cancel`, schema: cancel },
    retry: { method: 'POST', url: `${JOB}/retry`, schema: retry },
    remove: { method: 'DELETE', url: JOB, schema: remove },
  } as const;
}

export type JobRoutes = ReturnType<typeof jobRoutesOf>;
