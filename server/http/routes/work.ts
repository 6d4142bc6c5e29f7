import type { FastifyInstance, FastifySchema } from 'fastify';
import { labelOf } from '../../engine/operations.ts';
import type { LineReader } from '../../engine/run/line-reader.ts';
import type { ChunksTask } from '../../engine/tasks.ts';
import type { PipelineRecord } from '../../store/contract.ts';
import { admissionHook } from '../admission.ts';
import { type AnswerTask, answerWith, stopWhenGone } from '../answer-task.ts';
import { bodyOf, bytesBody } from '../bytes-body.ts';
import {
  chunkRouteSchema,
  embedRouteSchema,
  executeRouteSchema,
  refineRouteSchema,
  tokenizeRouteSchema,
} from '../documentation/work-schemas.ts';
import type { Services } from '../services.ts';
import { storedPipeline } from '../stored-pipeline.ts';
import { answerBatch, answerStream, endStreams } from '../streams/answer-stream.ts';
import { isStream, LINES, wantsLines } from '../streams/media.ts';
import { evaluateRoute } from './evaluate.ts';
import { fileRoutes } from './files.ts';

/** The routes whose requests are work: one for each chunker and refinery, for texts, and one that executes pipelines. */
export async function workRoutes(app: FastifyInstance): Promise<void> {
  const { config, requestSchemas } = app.chunksmith;
  await app.register(bytesBody, { limit: config.maxBodyBytes });
  await app.register(admissionHook);
  await app.register(storedPipeline);
  await app.register(chunksRoutes);
  await app.register(fileRoutes);
  await app.register(evaluateRoute);
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
  brokenRoutes(app);
}

/** Requests for a broken plugin are told so, where its name is one that a route can have. */
function brokenRoutes(app: FastifyInstance): void {
  const { registry } = app.chunksmith;
  for (const { kind, name } of registry.broken) {
    if ((kind !== 'chunker' && kind !== 'refinery') || !/^[a-z0-9-]+$/.test(name)) continue;
    const urls =
      kind === 'chunker' ? [`/v1/chunk/${name}`, `/v1/chunk/${name}/file`] : [`/v1/refine/${name}`];
    if (registry.find(kind, name) !== undefined) continue;
    const onRequest = async () => void registry.require(kind, name);
    for (const url of urls) app.post(url, { schema: { hide: true }, onRequest }, () => {});
  }
}

function executeRoute(app: FastifyInstance, answer: AnswerTask<ChunksTask>): void {
  const { requestSchemas } = app.chunksmith;
  app.post(
    '/v1/pipelines/:pipeline_id/execute',
    { schema: executeRouteSchema(requestSchemas), onRequest: app.chunksmithLookUp },
    async (request, reply) => {
      const { steps } = (await request.chunksmithPipeline) as PipelineRecord;
      return answer(request, reply, { run: 'execute', steps });
    },
  );
}

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
