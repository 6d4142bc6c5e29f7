import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { ServiceError } from '../../../core/errors.ts';
import type { LineReader } from '../../run/line-reader.ts';
import type { ChunksTask, Task } from '../../service/tasks.ts';
import type { PipelineRecord } from '../../store/contract.ts';
import { admissionHook } from '../admission.ts';
import { bodyOf, bytesBody, sendBytes } from '../bytes-body.ts';
import {
  chunkRouteSchema,
  embedRouteSchema,
  executeRouteSchema,
  refineRouteSchema,
  tokenizeRouteSchema,
} from '../documentation/work-schemas.ts';
import { logWork } from '../request-log.ts';
import type { Services } from '../services.ts';
import { answerBatch, answerStream, endStreams } from '../streams/answer-stream.ts';
import { isStream, LINES, wantsLines } from '../streams/media.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The pipeline of the path, looked up while the body arrives. */
    chunksmithPipeline: Promise<PipelineRecord> | null;
  }
}

/** The routes whose requests are work: one for each chunker and refinery, for texts, and one that executes pipelines. */
export async function workRoutes(app: FastifyInstance): Promise<void> {
  const { config, requestSchemas } = app.chunksmith;
  await app.register(bytesBody, { limit: config.maxBodyBytes });
  await app.register(admissionHook);
  await app.register(chunksRoutes);
  const answer = answerWith(app.chunksmith);
  const textRoutes = {
    embed: embedRouteSchema(requestSchemas),
    tokenize: tokenizeRouteSchema(requestSchemas),
  };
  for (const run of ['embed', 'tokenize'] as const) {
    app.post(`/v1/${run}`, { schema: textRoutes[run] }, (request, reply) => answer(request, reply, { run }));
  }
}

/** The routes that make chunks, whose requests and answers may be streams. */
async function chunksRoutes(app: FastifyInstance): Promise<void> {
  const { registry, requestSchemas } = app.chunksmith;
  app.addContentTypeParser(LINES, (_request, payload, done) => done(null, payload));
  const open = new Set<LineReader>();
  app.addHook('preClose', async () => endStreams(open));
  const answer = chunksWith(app.chunksmith, open);
  const post = (url: string, schema: FastifySchema, task: ChunksTask) =>
    app.post(url, { schema }, (request, reply) => answer(request, reply, task));
  for (const entry of registry.ofKind('chunker')) {
    const { name } = entry.manifest;
    post(`/v1/chunk/${name}`, chunkRouteSchema(entry, requestSchemas), { run: 'chunk', name });
  }
  for (const entry of registry.ofKind('refinery')) {
    const { name } = entry.manifest;
    post(`/v1/refine/${name}`, refineRouteSchema(entry, requestSchemas), { run: 'refine', name });
  }
  executeRoute(app, answer);
}

function executeRoute(app: FastifyInstance, answer: AnswerTask<ChunksTask>): void {
  const { store, requestSchemas } = app.chunksmith;
  app.decorateRequest('chunksmithPipeline', null);
  app.post(
    '/v1/pipelines/:pipeline_id/execute',
    {
      schema: executeRouteSchema(requestSchemas),
      onRequest: async (request) => {
        request.chunksmithPipeline = store.get((request.params as { pipeline_id: string }).pipeline_id);
        request.chunksmithPipeline.catch(() => {});
      },
    },
    async (request, reply) => {
      const { steps } = (await request.chunksmithPipeline) as PipelineRecord;
      return answer(request, reply, { run: 'execute', steps });
    },
  );
}

/** Runs a task on the request and answers with its bytes and response metadata, or with a stream. */
type AnswerTask<T extends Task> = (
  request: FastifyRequest,
  reply: FastifyReply,
  task: T,
) => Promise<FastifyReply>;

/** Answers tasks whose requests and answers may be streams. @param open gets the streams that are being read */
function chunksWith(services: Services, open: Set<LineReader>): AnswerTask<ChunksTask> {
  const answer = answerWith(services);
  return async (request, reply, task) => {
    const isStreamed = isStream(request);
    if (!isStreamed && !wantsLines(request)) return answer(request, reply, task);
    const streamed = { request, reply, task, label: labelOf(task), stop: stopWhenGone(reply), open };
    return isStreamed ? answerStream(streamed, services) : answerBatch(streamed, bodyOf(request), services);
  };
}

function answerWith({ runner, metrics }: Services): AnswerTask<Task> {
  return async (request, reply, task) => {
    const body = bodyOf(request);
    const stop = stopWhenGone(reply);
    const received = body.length;
    const { bytes, metadata, timings, queueSeconds } = await runner.run(task, body, stop);
    metrics.worked(labelOf(task), received, queueSeconds, timings);
    logWork(request, queueSeconds, timings);
    for (const [name, value] of Object.entries(metadata)) reply.header(`x-${name}`, value);
    return sendBytes(reply, bytes);
  };
}

/** What metrics call the work of a task. */
function labelOf(task: Task): string {
  if (task.run === 'execute') return 'pipeline';
  return 'name' in task ? task.name : task.run;
}

/** A controller that aborts if the client closes the connection before it has its answer. */
function stopWhenGone(reply: FastifyReply): AbortController {
  const stop = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) stop.abort(new ServiceError('client_gone'));
  });
  return stop;
}
