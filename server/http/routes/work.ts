import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { ServiceError } from '../../../core/errors.ts';
import type { Runner } from '../../run/runner.ts';
import type { Task } from '../../service/requests.ts';
import type { PipelineRecord } from '../../store/contract.ts';
import { admissionHook } from '../admission.ts';
import { chargeBodies } from '../byte-budget.ts';
import { bodyOf, bytesBody, sendBytes } from '../bytes-body.ts';
import {
  chunkRouteSchema,
  embedRouteSchema,
  executeRouteSchema,
  refineRouteSchema,
  tokenizeRouteSchema,
} from '../documentation/work-schemas.ts';
import type { Metrics } from '../metrics.ts';
import { logWork } from '../request-log.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The pipeline of the path, looked up while the body arrives. */
    chunksmithPipeline: Promise<PipelineRecord> | null;
  }
}

/** The routes whose requests are work: one for each chunker and refinery, for texts, and one that executes pipelines. */
export async function workRoutes(app: FastifyInstance): Promise<void> {
  const { config, registry, requestSchemas, runner, metrics } = app.chunksmith;
  const answer = answerWith(runner, metrics);
  await app.register(bytesBody, { limit: config.maxBodyBytes });
  await app.register(admissionHook);
  await app.register(chargeBodies);
  const post = (url: string, schema: FastifySchema, task: Task) =>
    app.post(url, { schema }, (request, reply) => answer(request, reply, task));
  for (const entry of registry.ofKind('chunker')) {
    const { name } = entry.manifest;
    post(`/v1/chunk/${name}`, chunkRouteSchema(entry, requestSchemas), { run: 'chunk', name });
  }
  for (const entry of registry.ofKind('refinery')) {
    const { name } = entry.manifest;
    post(`/v1/refine/${name}`, refineRouteSchema(entry, requestSchemas), { run: 'refine', name });
  }
  post('/v1/embed', embedRouteSchema(requestSchemas), { run: 'embed' });
  post('/v1/tokenize', tokenizeRouteSchema(requestSchemas), { run: 'tokenize' });
  executeRoute(app, answer);
}

function executeRoute(app: FastifyInstance, answer: AnswerTask): void {
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

/** Runs a task on the bytes of the request and answers with its bytes and response metadata. */
type AnswerTask = (request: FastifyRequest, reply: FastifyReply, task: Task) => Promise<FastifyReply>;

function answerWith(runner: Runner, metrics: Metrics): AnswerTask {
  return async (request, reply, task) => {
    const body = bodyOf(request);
    const received = body.length;
    const { bytes, metadata, timings, queueSeconds } = await runner.run(task, body, stopWhenGone(reply));
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
