import type { FastifyInstance, FastifySchema } from 'fastify';
import { executeRequest } from '../../core/requests.ts';
import type { Runner } from '../run/runner.ts';
import type { PipelineStore } from '../store/pipeline-store.ts';
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

/** Executes stored pipelines. */
export function executeRoute(app: FastifyInstance, store: PipelineStore, runner: Runner): void {
  app.post(
    '/v1/pipelines/:pipeline_id/execute',
    { schema },
    bytesRoute(runner, async ({ params }) => {
      const { steps } = await store.get((params as { pipeline_id: string }).pipeline_id);
      return { run: 'execute', steps };
    }),
  );
}
