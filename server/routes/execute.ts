import type { FastifyInstance, FastifySchema } from 'fastify';
import { executeRequest } from '../../core/requests.ts';
import type { Metrics } from '../metrics.ts';
import type { Runner } from '../run/runner.ts';
import type { PipelineRecord, PipelineStore } from '../store/pipeline-store.ts';
import { bytesRoute } from './bytes-route.ts';
import { errorAnswers, executeAnswer } from './schemas.ts';

const schema: FastifySchema = {
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

declare module 'fastify' {
  interface FastifyRequest {
    /** The pipeline of the path, looked up while the body is on its way. */
    pipeline: Promise<PipelineRecord> | null;
  }
}

/** Executes stored pipelines. */
export function executeRoute(
  app: FastifyInstance,
  store: PipelineStore,
  runner: Runner,
  metrics: Metrics,
): void {
  app.decorateRequest('pipeline', null);
  app.post(
    '/v1/pipelines/:pipeline_id/execute',
    {
      schema,
      onRequest: async (request) => {
        request.pipeline = store.get((request.params as { pipeline_id: string }).pipeline_id);
        request.pipeline.catch(() => {});
      },
    },
    bytesRoute(runner, metrics, async ({ pipeline }) => {
      const { steps } = (await pipeline) as PipelineRecord;
      return { run: 'execute', steps };
    }),
  );
}
