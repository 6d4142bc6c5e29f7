import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../core/errors.ts';
import { takesJobs } from '../../config/jobs.ts';
import { checkPlaces } from '../../jobs/check-places.ts';
import { jobAnswer } from '../../jobs/job-answer.ts';
import { findManifest, readParts } from '../../jobs/job-output.ts';
import { removeJob } from '../../jobs/remove-job.ts';
import { shardAnswer } from '../../jobs/shard-answer.ts';
import type { JobRecord } from '../../store/jobs/contract.ts';
import { bodyOf, bytesBody } from '../bytes-body.ts';
import { pathOf } from '../error-handler.ts';
import { EVENTS, EventStream, eventId } from '../jobs/event-stream.ts';
import {
  cursorAfterJob,
  cursorAfterShard,
  readIdempotencyKey,
  readJobsPage,
  readShardsPage,
} from '../jobs/query.ts';
import { jobReader } from '../jobs/requests.ts';
import * as docs from '../jobs/schemas.ts';
import { isOver, JobWatch } from '../jobs/watch.ts';
import { answerPieces } from '../streams/answer-pieces.ts';
import { LINES, wantsLines } from '../streams/media.ts';

interface ById {
  Params: { job_id: string };
}

const JOB = '/v1/jobs/:job_id';
const SECONDS_OF_HOUR = 3600;

/** Routes that make jobs, tell of them, and hand out what they have made. Where jobs are off, all say so. */
export async function jobRoutes(app: FastifyInstance): Promise<void> {
  const { config } = app.chunksmith;
  await app.register(bytesBody, { limit: Math.min(LARGEST_BODY, config.maxBodyBytes) });
  if (!takesJobs(config)) {
    // Before the body is read, and after keys and rate limits are looked at.
    app.addHook('preParsing', async () => {
      throw new ServiceError('jobs_off');
    });
  }
  createRoute(app);
  listRoutes(app);
  eventRoute(app);
  outputRoutes(app);
  changeRoutes(app);
}

const LARGEST_BODY = 16_777_216;

function createRoute(app: FastifyInstance): void {
  const { config, jobs, jobPlaces, jobWorker } = app.chunksmith;
  const readJob = jobReader(app.chunksmith);
  app.post('/v1/jobs', { schema: docs.create(config) }, async (request, reply) => {
    const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
    const id = randomUUID();
    const { spec, ...asked } = await readJob(bodyOf(request), id);
    await checkPlaces(spec, jobPlaces);
    const notifies = spec.callback !== undefined;
    const keepSeconds = config.bulkKeep * SECONDS_OF_HOUR;
    const { job, isNew } = await jobs.create({ id, spec, ...asked, idempotencyKey, notifies, keepSeconds });
    jobWorker.wake();
    return answerNew(request, reply, job, isNew);
  });
}

function answerNew(request: FastifyRequest, reply: FastifyReply, job: JobRecord, isNew: boolean) {
  const location = pathOf(request).endsWith('/') ? job.id : `jobs/${job.id}`;
  reply.code(isNew ? 202 : 200).header('location', location);
  return jobAnswer(job);
}

function listRoutes(app: FastifyInstance): void {
  const { jobs } = app.chunksmith;
  app.get('/v1/jobs', { schema: docs.list }, async ({ query }, reply) => {
    const page = readJobsPage(query as Record<string, unknown>);
    const found = await jobs.list(page);
    const last = found.jobs.at(-1);
    if (found.hasMore && last !== undefined) leadOn(reply, page, cursorAfterJob(last));
    return found.jobs.map((job) => jobAnswer(job));
  });

  app.get<ById>(JOB, { schema: docs.get }, async ({ params }) => jobAnswer(await jobs.get(params.job_id)));

  app.get<ById>(`${JOB}/shards`, { schema: docs.shards }, async ({ params, query }, reply) => {
    const page = readShardsPage(query as Record<string, unknown>);
    // Of a job that is not there the page would be empty.
    const { id } = await jobs.get(params.job_id);
    const found = await jobs.shards(id, page);
    const last = found.shards.at(-1);
    if (found.hasMore && last !== undefined) leadOn(reply, page, cursorAfterShard(last.seq));
    return found.shards.map(shardAnswer);
  });
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

function eventRoute(app: FastifyInstance): void {
  const { jobs } = app.chunksmith;
  const watch = new JobWatch(jobs);
  app.addHook('preClose', async () => watch.close());
  app.get<ById>(`${JOB}/events`, { schema: docs.events }, async (request, reply) => {
    const job = await jobs.get(request.params.job_id);
    const type = wantsLines(request) ? LINES : EVENTS;
    // A client that had the last event asks for more: this answer tells it to stop.
    if (isOver(job) && request.headers['last-event-id'] === eventId(job)) return reply.code(204).send();
    const stream = new EventStream(type);
    reply.raw.once('close', () => watch.remove(job.id, stream));
    watch.add(job, stream);
    // Proxies must not hold events back.
    reply.headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    return reply.type(type === LINES ? `${LINES}; charset=utf-8` : EVENTS).send(stream);
  });
}

function outputRoutes(app: FastifyInstance): void {
  const { jobs: store, jobPlaces: places } = app.chunksmith;
  const tools = { store, places };
  app.get<ById>(`${JOB}/result`, { schema: docs.result }, async (request, reply) => {
    const job = await store.get(request.params.job_id);
    const manifest = isOver(job) ? await findManifest(job, places) : undefined;
    if (manifest === undefined) throw notDone(job);
    if (wantsLines(request)) return answerPieces(reply, LINES, readParts(job, 'part', tools));
    return answerPieces(reply, 'application/json', manifest);
  });

  app.get<ById>(`${JOB}/errors`, { schema: docs.errors }, async (request, reply) => {
    const job = await store.get(request.params.job_id);
    return answerPieces(reply, LINES, readParts(job, 'errors', tools));
  });
}

function notDone(job: JobRecord): ServiceError {
  const { id, state } = job;
  const remedy = isOver(job)
    ? `it has no manifest; POST /v1/jobs/${id}/retry goes on with what is not done`
    : `wait until it is done; GET /v1/jobs/${id}/events tells when`;
  return new ServiceError('job_not_over', { id, state, remedy });
}

function changeRoutes(app: FastifyInstance): void {
  const { jobs, jobPlaces, jobWorker } = app.chunksmith;
  app.post<ById>(`${JOB}/cancel`, { schema: docs.cancel }, async ({ params }) =>
    jobAnswer(await jobs.cancel(params.job_id)),
  );

  app.post<ById>(`${JOB}/retry`, { schema: docs.retry }, async ({ params }) => {
    const job = await jobs.retry(params.job_id);
    jobWorker.wake();
    return jobAnswer(job);
  });

  app.delete<ById>(JOB, { schema: docs.remove }, async ({ params }, reply) => {
    await removeJob(await jobs.get(params.job_id), { store: jobs, places: jobPlaces });
    return reply.code(204).send();
  });
}
