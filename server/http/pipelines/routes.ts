import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PageRequest, PipelineRecord, PipelineStore } from '../../store/contract.ts';
import { exampleSteps } from '../docs/example-answers.ts';
import { bodyOf, bytesBody } from '../transport/bodies.ts';
import { pathOf } from '../transport/error-handler.ts';
import { leadOn } from '../transport/pages.ts';
import { putByName } from './put-by-name.ts';
import { cursorAfter, readChanges, readIfMatch, readNew, readPage, readWhole } from './read.ts';
import * as docs from './schemas.ts';

const MAX_BODY_BYTES = 1_048_576;
/** Pipelines that are read from the store at once for a list without a limit. */
const READ_AT_ONCE = 500;

interface ById {
  Params: { pipeline_id: string };
}

/** Routes that create, list, read, change and delete stored pipelines, by their ids and by their names. */
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

async function answerPage(
  store: PipelineStore,
  { limit, ...which }: Partial<PageRequest>,
  reply: FastifyReply,
) {
  const page = await store.list({ limit: limit ?? READ_AT_ONCE, ...which });
  const last = page.pipelines.at(-1);
  if (!page.hasMore || last === undefined) return page.pipelines.map(toAnswer);
  if (limit === undefined) {
    reply.type('application/json; charset=utf-8');
    return Readable.from(writeAll(store, page.pipelines));
  }
  leadOn(reply, { limit: String(limit) }, cursorAfter(last));
  return page.pipelines.map(toAnswer);
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

/** Writes all pipelines as one list, page by page, so that a long one takes little memory. */
async function* writeAll(store: PipelineStore, first: readonly PipelineRecord[]): AsyncGenerator<string> {
  let pipelines = first;
  let before = '[';
  while (pipelines.length > 0) {
    yield before + pipelines.map((record) => JSON.stringify(toAnswer(record))).join(',');
    before = ',';
    const next: PageRequest = { limit: READ_AT_ONCE, after: pipelines.at(-1) };
    pipelines = (await store.list(next)).pipelines;
  }
  yield ']';
}
