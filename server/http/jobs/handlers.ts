import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../core/errors.ts';
import { checkPlaces } from '../../jobs/check-places.ts';
import { jobAnswer } from '../../jobs/job-answer.ts';
import { findManifest, readParts } from '../../jobs/job-output.ts';
import { removeJob } from '../../jobs/remove-job.ts';
import { shardAnswer } from '../../jobs/shard-answer.ts';
import type { JobSpec } from '../../jobs/spec.ts';
import type { JobRecord } from '../../store/jobs/contract.ts';
import { bodyOf } from '../bytes-body.ts';
import { pathOf } from '../error-handler.ts';
import type { Services } from '../services.ts';
import { answerPieces } from '../streams/answer-pieces.ts';
import { LINES, wantsLines } from '../streams/media.ts';
import { EventStream, eventId } from './event-stream.ts';
import { EVENTS } from './media.ts';
import {
  cursorAfterJob,
  cursorAfterShard,
  readIdempotencyKey,
  readJobsPage,
  readShardsPage,
} from './query.ts';
import { jobReader } from './requests.ts';
import type { JobRoutes } from './schemas.ts';
import { isOver, JobWatch } from './watch.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** What the routes of jobs do. @param app closes what is watched before it closes */
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
      // Of a job that is not there the page would be empty.
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

/** Says where the next page is. */
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
    // A client that had the last event asks for more: this answer tells it to stop.
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
      if (wantsLines(request) && !isLines)
        throw new ServiceError('invalid_parameters', { problems: [NO_LINES] });
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
  'accept: the parts of this job are Parquet, in the files that the manifest names; ask for application/json';

function notDone(job: JobRecord): ServiceError {
  const { id, state } = job;
  const remedy = isOver(job)
    ? `it has no manifest; POST /v1/jobs/${id}/retry goes on with what is not done`
    : `wait until it is done; GET /v1/jobs/${id}/events tells when`;
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
