import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, ServiceError } from '../../../core/errors.ts';
import type {
  NewPipeline,
  PageRequest,
  PipelineRecord,
  PipelineStore,
  Versions,
} from '../../store/contract.ts';
import { exampleSteps } from '../docs/example-answers.ts';
import { bodyOf, bytesBody } from '../transport/bodies.ts';
import { pathOf } from '../transport/error-handler.ts';
import { leadOn } from '../transport/pages.ts';
import { cursorAfter, readChanges, readIfMatch, readNew, readPage, readWhole } from './read.ts';
import * as docs from './schemas.ts';

const MAX_BODY_BYTES = 1_048_576;

interface ById {
  Params: { pipeline_id: string };
}

export async function pipelineRoutes(app: FastifyInstance): Promise<void> {
  const { config, registry, service, store } = app.chunksmith;
  const examples = docs.pipelineExamples(exampleSteps(registry));
  await app.register(bytesBody, { limit: Math.min(MAX_BODY_BYTES, config.maxBodyBytes) });

  app.get('/v1/presets', { schema: docs.presets }, async () => service.presets.list());

  app.post('/v1/pipelines', { schema: docs.create(examples) }, async (request, reply) => {
    return answerNew(request, reply, await store.create(await readNew(bodyOf(request), service)));
  });

  app.put('/v1/pipelines', { schema: docs.put }, async (request, reply) => {
    const ifMatch = readIfMatch(request.headers['if-match']);
    const pipeline = await readWhole(bodyOf(request), request.query, service);
    const { record, isNew } = await putByName(store, pipeline, ifMatch);
    return isNew ? answerNew(request, reply, record) : answer(reply, record);
  });

  app.get('/v1/pipelines', { schema: docs.list(examples) }, async (request, reply) =>
    answerPage(store, readPage(request.query as Record<string, unknown>), reply),
  );

  app.get<ById>('/v1/pipelines/:pipeline_id', { schema: docs.get(examples) }, async ({ params }, reply) => {
    return answer(reply, await store.get(params.pipeline_id));
  });

  app.put<ById>('/v1/pipelines/:pipeline_id', { schema: docs.update(examples) }, async (request, reply) => {
    const ifMatch = readIfMatch(request.headers['if-match']);
    const changes = await readChanges(bodyOf(request), service);
    return answer(reply, await store.update(request.params.pipeline_id, changes, ifMatch));
  });

  app.delete<ById>('/v1/pipelines/:pipeline_id', { schema: docs.remove }, async (request, reply) => {
    await store.delete(request.params.pipeline_id, readIfMatch(request.headers['if-match']));
    return reply.code(204).send();
  });
}

async function answerPage(store: PipelineStore, request: PageRequest, reply: FastifyReply) {
  const { pipelines, hasMore } = await store.list(request);
  const last = pipelines.at(-1);
  if (hasMore && last !== undefined) leadOn(reply, { limit: String(request.limit) }, cursorAfter(last));
  return pipelines.map(toAnswer);
}

function answerNew(request: FastifyRequest, reply: FastifyReply, record: PipelineRecord) {
  const here = pathOf(request);
  reply.code(201).header('location', here.endsWith('/') ? record.id : `pipelines/${record.id}`);
  return answer(reply, record);
}

function answer(reply: FastifyReply, record: PipelineRecord) {
  reply.header('etag', `"${record.version}"`);
  return toAnswer(record);
}

function toAnswer({
  id,
  name,
  description,
  steps,
  created_at,
  updated_at,
}: PipelineRecord): docs.PipelineAnswer {
  return { id, name, description, config: { steps }, created_at, updated_at };
}

/** Maximum attempts of a change that other requests overtake. */
const MAX_RACES = 1000;

type Store = Pick<PipelineStore, 'list' | 'create' | 'update'>;

/**
 * Creates the pipeline, or replaces all members of the pipeline with its name. If simultaneous calls use a
 * new name, one call creates the pipeline, and the others update it one after another.
 *
 * @param ifMatch if set, the pipeline must exist and have one of these versions
 * @throws ServiceError `pipeline_not_found`, `precondition_failed`
 */
export async function putByName(
  store: Store,
  pipeline: NewPipeline,
  ifMatch?: Versions,
): Promise<{ readonly record: PipelineRecord; readonly isNew: boolean }> {
  const { name, description, steps } = pipeline;
  for (let race = 0; race < MAX_RACES; race++) {
    const [before] = (await store.list({ limit: 1, name })).pipelines;
    expectMatch(name, before, ifMatch);
    const put = await unlessOvertaken(async () => {
      if (before === undefined) return { record: await store.create(pipeline), isNew: true };
      // Updates only the version just read, because another request may have renamed the pipeline since.
      const record = await store.update(before.id, { description, steps }, [before.version]);
      return { record, isNew: false };
    });
    if (put !== undefined) return put;
  }
  throw new ServiceError('store_unavailable', {
    reason: 'other requests keep changing this pipeline',
    seconds: 1,
  });
}

function expectMatch(name: string, before: PipelineRecord | undefined, ifMatch: Versions | undefined): void {
  if (ifMatch === undefined) return;
  if (before === undefined) {
    throw new ServiceError('pipeline_not_found', {
      id: JSON.stringify(name.slice(0, 100)),
      remedy: 'GET /v1/pipelines lists all pipelines',
    });
  }
  if (ifMatch === '*' || ifMatch.includes(before.version)) return;
  throw new ServiceError('precondition_failed', { id: before.id, etag: `"${before.version}"` });
}

/** Errors that mean that another request changed the pipeline between reading and writing. */
const OVERTAKEN: ReadonlySet<ErrorCode> = new Set([
  'pipeline_name_taken',
  'pipeline_not_found',
  'precondition_failed',
]);

async function unlessOvertaken<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof ServiceError && OVERTAKEN.has(error.code)) return undefined;
    throw error;
  }
}
