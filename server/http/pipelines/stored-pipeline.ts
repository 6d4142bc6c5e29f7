import type { onRequestAsyncHookHandler } from 'fastify';
import plugin from 'fastify-plugin';
import type { PipelineRecord } from '../../store/contract.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The pipeline of the path, looked up while the body arrives. */
    chunksmithPipeline: Promise<PipelineRecord> | null;
  }
  interface FastifyInstance {
    /** Looks up the pipeline that the path names as `pipeline_id`; a hook for routes that execute one. */
    chunksmithLookUp: onRequestAsyncHookHandler;
  }
}

/** Gives routes the stored pipeline that their path names. */
export const storedPipeline = plugin(
  async (app) => {
    const { store } = app.chunksmith;
    app.decorateRequest('chunksmithPipeline', null);
    app.decorate('chunksmithLookUp', async (request) => {
      request.chunksmithPipeline = store.get((request.params as { pipeline_id: string }).pipeline_id);
      request.chunksmithPipeline.catch(() => {});
    });
  },
  { name: 'chunksmith-stored-pipeline', dependencies: ['chunksmith-services'] },
);
