import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { Service } from '../service.ts';
import type { PageRequest, PipelineRecord, PipelineStore } from '../store/pipeline-store.ts';
import { passJsonAsBytes } from './bytes-route.ts';
import { createPipelineReaders, cursorAfter, readIfMatch } from './pipeline-requests.ts';
import * as docs from './pipeline-schemas.ts';
import { pathOf } from './problems.ts';

const LARGEST_BODY = 1_048_576;
/** Pipelines that are read at once for a list without a limit. */
const READ_AT_ONCE = 500;

interface ById {
  Params: { pipeline_id: string };
}

/** Creates, lists, reads, changes and deletes stored pipelines. */
export function pipelineRoutes(
  app: FastifyInstance,
  store: PipelineStore,
  service: Service,
  limits: Pick<Config, 'maxBodyBytes' | 'maxSteps'>,
): void {
  const { readNew, readChanges, readPage } = createPipelineReaders(service, limits.maxSteps);
  passJsonAsBytes(app, Math.min(LARGEST_BODY, limits.maxBodyBytes));
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));

  app.post('/v1/pipelines', { schema: docs.create }, async (request, reply) => {
    const record = await store.create(readNew(bodyOf(request)));
    const here = pathOf(request);
    reply.code(201).header('location', here.endsWith('/') ? record.id : `pipelines/${record.id}`);
    return answer(reply, record);
  });

  app.get('/v1/pipelines', { schema: docs.list }, async (request, reply) => {
    const { limit, after } = readPage(request.query as Record<string, unknown>);
    const page = await store.list({ limit: limit ?? READ_AT_ONCE, after });
    const last = page.pipelines.at(-1);
    if (!page.hasMore || last === undefined) return page.pipelines.map(toAnswer);
    if (limit === undefined) {
      reply.type('application/json; charset=utf-8');
      return Readable.from(writeAll(store, page.pipelines));
    }
    const cursor = cursorAfter(last);
    reply.header('x-next-cursor', cursor).header('link', `<?limit=${limit}&cursor=${cursor}>; rel="next"`);
    return page.pipelines.map(toAnswer);
  });

  app.get<ById>('/v1/pipelines/:pipeline_id', { schema: docs.get }, async ({ params }, reply) => {
    return answer(reply, await store.get(params.pipeline_id));
  });

  app.put<ById>('/v1/pipelines/:pipeline_id', { schema: docs.update }, async (request, reply) => {
    const ifMatch = readIfMatch(request.headers['if-match']);
    const changes = readChanges(bodyOf(request));
    return answer(reply, await store.update(request.params.pipeline_id, changes, ifMatch));
  });

  app.delete<ById>('/v1/pipelines/:pipeline_id', { schema: docs.remove }, async (request, reply) => {
    await store.delete(request.params.pipeline_id, readIfMatch(request.headers['if-match']));
    return reply.code(204).send();
  });
}

function bodyOf(request: FastifyRequest): Buffer {
  return (request.body ?? Buffer.alloc(0)) as Buffer;
}

function answer(reply: FastifyReply, record: PipelineRecord) {
  reply.header('etag', `"${record.version}"`);
  return toAnswer(record);
}

function toAnswer({ id, name, description, steps, created_at, updated_at }: PipelineRecord) {
  return { id, name, description, config: { steps }, created_at, updated_at };
}

/** Writes all pipelines as one list, page after page, so that a long one takes little memory. */
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
