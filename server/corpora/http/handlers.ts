import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalid, ServiceError } from '../../../core/errors.ts';
import { createValidator, type Validate } from '../../engine/validation/validator.ts';
import { bodyOf } from '../../http/transport/bodies.ts';
import { answerPieces } from '../../http/transport/body-stream.ts';
import { pathOf } from '../../http/transport/error-handler.ts';
import { LINES, wantsLines } from '../../http/transport/media.ts';
import { checkQuery, leadOn, type Query, readCursor, toCursor } from '../../http/transport/pages.ts';
import type { Services } from '../../http/transport/services.ts';
import type { JobPosition, JobRecord, JobState, ShardState } from '../../store/jobs/contract.ts';
import { jobAnswer, shardAnswer } from '../jobs/answers.ts';
import { findManifest, readParts } from '../jobs/job-output.ts';
import { removeJob } from '../jobs/remove-job.ts';
import { checkLocations } from '../jobs/server-locations.ts';
import type { JobLocations, JobSpec } from '../jobs/spec.ts';
import { jobReader } from './read.ts';
import { jobsQuery, shardsQuery } from './request-schemas.ts';
import type { JobRoutes } from './schemas.ts';
import { EVENTS, eventId, isOver, JobWatch } from './watch.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export interface JobTools {
  readonly locations: JobLocations;
  readonly worker: { wake(): void };
}

/** Creates the handlers of the job routes. @param app ends all streams of job changes before it closes */
export function jobHandlers(
  app: FastifyInstance,
  tools: JobTools,
): Readonly<Record<keyof JobRoutes, Handler>> {
  const services = app.chunksmith;
  const watch = new JobWatch(services.jobs);
  app.addHook('preClose', async () => watch.close());
  return {
    create: createHandler(services, tools),
    events: eventsHandler(services, watch),
    ...readHandlers(services),
    ...outputHandlers(services, tools),
    ...changeHandlers(services, tools),
  };
}

const SECONDS_OF_HOUR = 3600;

function createHandler(services: Services, { locations, worker }: JobTools): Handler {
  const { config, jobs } = services;
  const readJob = jobReader(services);
  return async (request, reply) => {
    const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
    const id = randomUUID();
    const { spec, ...asked } = await readJob(bodyOf(request), id);
    await checkLocations(spec, locations);
    const notifies = spec.callback !== undefined;
    const keepSeconds = config.bulkKeep * SECONDS_OF_HOUR;
    const { job, isNew } = await jobs.create({ id, spec, ...asked, idempotencyKey, notifies, keepSeconds });
    worker.wake();
    const location = pathOf(request).endsWith('/') ? job.id : `jobs/${job.id}`;
    reply.code(isNew ? 202 : 200).header('location', location);
    return jobAnswer(job);
  };
}

function readHandlers({ jobs }: Services): Record<'list' | 'get' | 'shards', Handler> {
  return {
    get: async (request) => jobAnswer(await jobs.get(idOf(request))),

    async list({ query }, reply) {
      const page = readPage<JobState, JobPosition>(query, checkJobs, readJobPosition);
      const found = await jobs.list(page);
      const last = found.jobs.at(-1);
      if (found.hasMore && last !== undefined)
        leadOn(reply, queryOf(page), toCursor(`${last.created_at} ${last.id}`));
      return found.jobs.map((job) => jobAnswer(job));
    },

    async shards(request, reply) {
      const page = readPage<ShardState, number>(request.query, checkShards, readSeq);
      // Otherwise an unknown job would give an empty page instead of 404.
      const { id } = await jobs.get(idOf(request));
      const found = await jobs.shards(id, page);
      const last = found.shards.at(-1);
      if (found.hasMore && last !== undefined) leadOn(reply, queryOf(page), toCursor(String(last.seq)));
      return found.shards.map(shardAnswer);
    },
  };
}

function idOf({ params }: FastifyRequest): string {
  return (params as { readonly job_id: string }).job_id;
}

function eventsHandler({ jobs }: Services, watch: JobWatch): Handler {
  return async (request, reply) => {
    const job = await jobs.get(idOf(request));
    const type = wantsLines(request) ? LINES : EVENTS;
    // The client has reconnected although it has seen the last event. 204 tells the client to stop.
    if (isOver(job) && request.headers['last-event-id'] === eventId(job)) return reply.code(204).send();
    // Tells proxies not to buffer events.
    reply.headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    return reply.type(type === LINES ? `${LINES}; charset=utf-8` : EVENTS).send(watch.stream(job, type));
  };
}

function outputHandlers(
  { jobs: store }: Services,
  { locations }: JobTools,
): Record<'result' | 'errors', Handler> {
  const tools = { store, locations };
  return {
    async result(request, reply) {
      const job = await store.get(idOf(request));
      const manifest = isOver(job) ? await findManifest(job, locations) : undefined;
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

function changeHandlers(
  { jobs }: Services,
  { locations, worker }: JobTools,
): Record<'cancel' | 'retry' | 'remove', Handler> {
  return {
    cancel: async (request) => jobAnswer(await jobs.cancel(idOf(request))),

    async retry(request) {
      const job = await jobs.retry(idOf(request));
      worker.wake();
      return jobAnswer(job);
    },

    async remove(request, reply) {
      await removeJob(await jobs.get(idOf(request)), { store: jobs, locations });
      return reply.code(204).send();
    },
  };
}

const checkJobs = createValidator(jobsQuery);
const checkShards = createValidator(shardsQuery);

interface Page<State, Position> {
  readonly limit: number;
  readonly after?: Position;
  readonly state?: State;
}

/** Reads the query parameters of a list. @throws ServiceError `invalid_parameters` */
function readPage<State, Position>(
  query: unknown,
  check: Validate,
  read: (text: string) => Position | undefined,
): Page<State, Position> {
  const { cursor, ...page } = checkQuery<Page<State, Position> & { cursor?: string }>(query as Query, check);
  return cursor === undefined ? page : { ...page, after: readCursor(cursor, read) };
}

function queryOf({ limit, state }: Page<string, unknown>): Record<string, string> {
  return { limit: String(limit), ...(state !== undefined && { state }) };
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

/** Reads `Idempotency-Key`; null if the header is missing. @throws ServiceError `invalid_parameters` */
function readIdempotencyKey(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && KEY.test(header)) return header;
  throw invalid('Idempotency-Key: expected 1 to 255 visible ASCII characters, such as a UUID');
}
