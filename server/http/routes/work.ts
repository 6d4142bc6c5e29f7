import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { ServiceError } from '../../../core/errors.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import type { Runner } from '../../run/runner.ts';
import { executeRequest } from '../../service/request-schemas.ts';
import type { Task } from '../../service/requests.ts';
import type { PipelineRecord } from '../../store/contract.ts';
import { admissionHook } from '../admission.ts';
import { chunkAnswer, errorAnswers, executeAnswer, refineAnswer } from '../answer-schemas.ts';
import { chargeBodies } from '../byte-budget.ts';
import { bodyOf, bytesBody, sendBytes } from '../bytes-body.ts';
import type { Metrics } from '../metrics.ts';
import { logWork } from '../request-log.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The pipeline of the path, looked up while the body arrives. */
    chunksmithPipeline: Promise<PipelineRecord> | null;
  }
}

/** The routes whose requests are work: one for each chunker and refinery, and one that executes pipelines. */
export async function workRoutes(app: FastifyInstance): Promise<void> {
  const { config, registry, requestSchemas, runner, metrics } = app.chunksmith;
  const answer = answerWith(runner, metrics);
  await app.register(bytesBody, { limit: config.maxBodyBytes });
  await app.register(admissionHook);
  await app.register(chargeBodies);
  for (const entry of registry.ofKind('chunker')) {
    const schema = schemaOf(
      entry,
      'chunk',
      requestSchemas.chunk(entry.manifest),
      chunkAnswer(entry.manifest),
    );
    const task: Task = { run: 'chunk', name: entry.manifest.name };
    app.post(`/v1/chunk/${task.name}`, { schema }, (request, reply) => answer(request, reply, task));
  }
  for (const entry of registry.ofKind('refinery')) {
    const body = requestSchemas.refine(entry.manifest, 'any');
    const schema = schemaOf(entry, 'refine', body, refineAnswer(entry.manifest));
    const task: Task = { run: 'refine', name: entry.manifest.name };
    app.post(`/v1/refine/${task.name}`, { schema }, (request, reply) => answer(request, reply, task));
  }
  executeRoute(app, answer);
}

const executeSchema: FastifySchema = {
  tags: ['pipelines'],
  operationId: 'execute_pipeline',
  summary: 'Runs a stored pipeline on a text or a list of texts',
  params: {
    type: 'object',
    required: ['pipeline_id'],
    properties: { pipeline_id: { type: 'string', description: 'Id of the pipeline.' } },
  },
  body: { ...executeRequest, examples: [{ text: 'First sentence. Second sentence!' }] },
  response: { 200: executeAnswer, ...errorAnswers([400, 404, 405, 413, 415, 500, 503]) },
};

function executeRoute(app: FastifyInstance, answer: AnswerTask): void {
  const { store } = app.chunksmith;
  app.decorateRequest('chunksmithPipeline', null);
  app.post(
    '/v1/pipelines/:pipeline_id/execute',
    {
      schema: executeSchema,
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
    metrics.worked('name' in task ? task.name : 'pipeline', received, queueSeconds, timings);
    logWork(request, queueSeconds, timings);
    for (const [name, value] of Object.entries(metadata)) reply.header(`x-${name}`, value);
    return sendBytes(reply, bytes);
  };
}

/** A controller that aborts if the client closes the connection before it has its answer. */
function stopWhenGone(reply: FastifyReply): AbortController {
  const stop = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) stop.abort(new ServiceError('client_gone'));
  });
  return stop;
}

/** What the documentation says of a plugin's route. */
function schemaOf(entry: PluginEntry, tag: string, body: object, answer: object): FastifySchema {
  const { name, summary, example } = entry.manifest;
  const missing =
    entry.missing.length === 0 ? '' : `\n\n**Not available here:** ${entry.missing.join('; ')}.`;
  return {
    tags: [tag],
    operationId: `${tag}_${name.replaceAll('-', '_')}`,
    summary,
    description: summary + missing,
    body: example === undefined ? body : { ...body, examples: [example] },
    response: { 200: answer, ...errorAnswers([400, 405, 413, 415, 500, 503]) },
  };
}
