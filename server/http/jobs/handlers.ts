import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalid, ServiceError } from '../../../core/errors.ts';
import { checkPlaces } from '../../corpora/jobs/check-locations.ts';
import { jobAnswer } from '../../corpora/jobs/job-answer.ts';
import { findManifest, readParts } from '../../corpora/jobs/job-output.ts';
import { removeJob } from '../../corpora/jobs/remove-job.ts';
import { shardAnswer } from '../../corpora/jobs/shard-answer.ts';
import type { JobSpec } from '../../corpora/jobs/spec.ts';
import { createValidator, type Validate } from '../../engine/validation/validator.ts';
import type { JobPosition, JobRecord, JobState, ShardState } from '../../store/jobs/contract.ts';
import { bodyOf } from '../transport/bodies.ts';
import { answerPieces } from '../transport/body-stream.ts';
import { pathOf } from '../transport/error-handler.ts';
import { LINES, wantsLines } from '../transport/media.ts';
import type { Services } from '../transport/services.ts';
import { EVENTS, EventStream, eventId } from './event-stream.ts';
import { jobReader } from './read.ts';
import { jobsQuery, shardsQuery } from './request-schemas.ts';
import type { JobRoutes } from './schemas.ts';
import { isOver, JobWatch } from './watch.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** The handlers of the job routes. @param app ends all watching before it closes */
export function jobHandlers(app: FastifyInstance): Readonly<Record<keyof JobRoutes, Handler>> {
  const services = app.chunksmith;
  const watch = new JobWatch(services.jobs);
  app.addHook('preClose', async () => watch.close());
  return {
    create: createHandler(services),
    events: eventsHandler(services, watch),
    ...readHandlers(services),
    ...outputHandlers(services),
    ...changeHandlers(services),
  };
}

const SECONDS_OF_HOUR = 3600;

function createHandler(services: Services): Handler {
  const { config, jobs, jobPlaces, jobWorker } = services;
  const readJob = jobReader(services);
  return async (request, reply) => {
    const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
    const id = randomUUID();
    const { spec, ...asked } = await readJob(bodyOf(request), id);
    await checkPlaces(spec, jobPlaces);
    const notifies = spec.callback !== undefined;
    const keepSeconds = config.bulkKeep * SECONDS_OF_HOUR;
    const { job, isNew } = await jobs.create({ id, spec, ...asked, idempotencyKey, notifies, keepSeconds });
    jobWorker.wake();
    const location = pathOf(request).endsWith('/') ? job.id : `jobs/${job.id}`;
    reply.code(isNew ? 202 : 200).header('location', location);
    return jobAnswer(job);
  };
}

function readHandlers({ jobs }: Services): Record<'list' | 'get' | 'shards', Handler> {
  return {
    get: async (request) => jobAnswer(await jobs.get(idOf(request))),

    async list({ query }, reply) {
      const page = readJobsPage(query as Record<string, unknown>);
      const found = await jobs.list(page);
      const last = found.jobs.at(-1);
      if (found.hasMore && last !== undefined) leadOn(reply, page, cursorAfterJob(last));
      return found.jobs.map((job) => jobAnswer(job));
    },

    async shards(request, reply) {
      const page = readShardsPage(request.query as Record<string, unknown>);
      // An unknown job would give an empty page instead of 404.
      const { id } = await jobs.get(idOf(request));
      const found = await jobs.shards(id, page);
      const last = found.shards.at(-1);
      if (found.hasMore && last !== undefined) leadOn(reply, page, cursorAfterShard(last.seq));
      return found.shards.map(shardAnswer);
    },
  };
}

function idOf({ params }: FastifyRequest): string {
  return (params as { readonly job_id: string }).job_id;
}

/** Adds the headers that lead to the next page. */
function leadOn(
  reply: FastifyReply,
  { limit, state }: { readonly limit: number; readonly state?: string },
  cursor: string,
): void {
  const query = new URLSearchParams({ limit: String(limit), ...(state !== undefined && { state }), cursor });
  reply.header('x-next-cursor', cursor).header('link', `<?${query}>; rel="next"`);
}

function eventsHandler({ jobs }: Services, watch: JobWatch): Handler {
  return async (request, reply) => {
    const job = await jobs.get(idOf(request));
    const type = wantsLines(request) ? LINES : EVENTS;
    // A client that has had the last event reconnected: this answer tells it to stop.
    if (isOver(job) && request.headers['last-event-id'] === eventId(job)) return reply.code(204).send();
    const stream = new EventStream(type);
    reply.raw.once('close', () => watch.remove(job.id, stream));
    watch.add(job, stream);
    // Proxies must not hold events back.
    reply.headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    return reply.type(type === LINES ? `${LINES}; charset=utf-8` : EVENTS).send(stream);
  };
}

function outputHandlers({ jobs: store, jobPlaces: places }: Services): Record<'result' | 'errors', Handler> {
  const tools = { store, places };
  return {
    async result(request, reply) {
      const job = await store.get(idOf(request));
      const manifest = isOver(job) ? await findManifest(job, places) : undefined;
      if (manifest === undefined) throw notDone(job);
      const isLines = (job.spec as JobSpec).target.format === undefined;
      if (wantsLines(request) && !isLines) throw invalid(NO_LINES);
      if (wantsLines(request)) return answerPieces(reply, LINES, readParts(job, 'part', tools));
      return answerPieces(reply, 'application/json', manifest);
    },

    async errors(request, reply) {
      const job = await store.get(idOf(request));
      return answerPieces(reply, LINES, readParts(job, 'errors', tools));
    },
  };
}

const NO_LINES =
  'accept: the parts of this job are Parquet files, named in the manifest; request application/json';

function notDone(job: JobRecord): ServiceError {
  const { id, state } = job;
  const remedy = isOver(job)
    ? `it has no manifest; POST /v1/jobs/${id}/retry resumes the unfinished work`
    : `wait until it is done; GET /v1/jobs/${id}/events reports when`;
  return new ServiceError('job_not_over', { id, state, remedy });
}

function changeHandlers(services: Services): Record<'cancel' | 'retry' | 'remove', Handler> {
  const { jobs, jobPlaces, jobWorker } = services;
  return {
    cancel: async (request) => jobAnswer(await jobs.cancel(idOf(request))),

    async retry(request) {
      const job = await jobs.retry(idOf(request));
      jobWorker.wake();
      return jobAnswer(job);
    },

    async remove(request, reply) {
      await removeJob(await jobs.get(idOf(request)), { store: jobs, places: jobPlaces });
      return reply.code(204).send();
    },
  };
}

/** Parameters of job requests outside their bodies: pages and keys. */

const checkJobs = createValidator(jobsQuery);
const checkShards = createValidator(shardsQuery);

interface Page<State, Position> {
  readonly limit: number;
  readonly after?: Position;
  readonly state?: State;
}

type Query = Readonly<Record<string, unknown>>;

/** Reads the query of the job list. @throws ServiceError `invalid_parameters` */
function readJobsPage(query: Query): Page<JobState, JobPosition> {
  return readPage(query, checkJobs, readJobPosition);
}

/** Reads the query of a job's shard list. @throws ServiceError `invalid_parameters` */
function readShardsPage(query: Query): Page<ShardState, number> {
  return readPage(query, checkShards, readSeq);
}

function readPage<State, Position>(
  query: Query,
  check: Validate,
  read: (text: string) => Position | undefined,
): Page<State, Position> {
  const { limit } = query;
  const isNumber = typeof limit === 'string' && /^\d{1,9}$/.test(limit);
  const given = check({ ...query, ...(isNumber && { limit: Number(limit) }) });
  const { cursor, ...page } = given as { cursor?: string; limit: number; state?: State };
  return cursor === undefined ? page : { ...page, after: readCursor(cursor, read) };
}

/** The cursor of the page after a job. */
function cursorAfterJob({ created_at, id }: JobPosition): string {
  return toCursor(`${created_at} ${id}`);
}

/** The cursor of the page after a shard. */
function cursorAfterShard(seq: number): string {
  return toCursor(String(seq));
}

function toCursor(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function readCursor<Position>(cursor: string, read: (text: string) => Position | undefined): Position {
  const position = read(Buffer.from(cursor, 'base64url').toString());
  if (position !== undefined) return position;
  const shown = JSON.stringify(cursor.slice(0, 60));
  throw invalid(`cursor: expected the x-next-cursor of an earlier answer, got ${shown}`);
}

const JOB_POSITION = /^(\d{1,12}(?:\.\d{1,20})?) ([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

function readJobPosition(text: string): JobPosition | undefined {
  const [, time, id] = JOB_POSITION.exec(text) ?? [];
  return time === undefined || id === undefined ? undefined : { created_at: Number(time), id };
}

function readSeq(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Reads `Idempotency-Key`; null without the header. @throws ServiceError `invalid_parameters` */
function readIdempotencyKey(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && KEY.test(header)) return header;
  throw invalid('Idempotency-Key: expected 1 to 255 visible ASCII characters, such as a UUID');
}
