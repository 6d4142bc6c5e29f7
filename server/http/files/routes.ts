import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DocumentsTask, Fields, FileTask } from '../../engine/tasks.ts';
import { lookedUpSteps, lookUpPipeline, presetTask } from '../pipelines/steps-of-path.ts';
import { answerWith } from '../transport/answer-work.ts';
import { readBody } from '../transport/bodies.ts';
import { senderOf } from '../transport/security.ts';
import { executeFileSchema, fileRouteSchema, presetFileSchema } from './schemas.ts';

/** The routes that accept files: one for each chunker, and one that executes pipelines. */
export async function fileRoutes(app: FastifyInstance): Promise<void> {
  const { registry, requestSchemas } = app.chunksmith;
  const answer = answerWith(app.chunksmith);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', readBody);
  for (const entry of registry.ofKind('chunker')) {
    const { name } = entry.manifest;
    const schema = fileRouteSchema(entry, registry, requestSchemas);
    app.post(`/v1/chunk/${name}/file`, { schema }, (request, reply) =>
      answer(request, reply, taskOf(request, { run: 'chunk', name })),
    );
  }
  app.post(
    '/v1/pipelines/:pipeline_id/execute/file',
    { schema: executeFileSchema(registry, requestSchemas), onRequest: lookUpPipeline(app.chunksmith) },
    async (request, reply) =>
      answer(request, reply, taskOf(request, { run: 'execute', steps: await lookedUpSteps(request) })),
  );
  app.post(
    '/v1/presets/:preset/execute/file',
    { schema: presetFileSchema(registry, requestSchemas) },
    async (request, reply) => answer(request, reply, taskOf(request, presetTask(request, reply))),
  );
}

function taskOf(request: FastifyRequest, of: DocumentsTask): FileTask {
  const { headers, query, server } = request;
  const sender = senderOf(request, server.chunksmith.config);
  const given = Object.entries(query as Readonly<Record<string, string | string[]>>);
  const fields: Fields = Object.fromEntries(given.map(([name, value]) => [name, [value].flat()]));
  return { run: 'file', of, contentType: headers['content-type'], query: fields, sender };
}
