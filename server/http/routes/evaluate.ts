import type { FastifyInstance } from 'fastify';
import { answerWork } from '../answer-task.ts';
import { evaluateRouteSchema } from '../documentation/evaluate-schemas.ts';
import { evaluateNamed } from '../pipelines/named.ts';
import { answerInParts } from '../streams/answer-parts.ts';
import { wantsLines } from '../streams/media.ts';

/** The route that compares candidates by the chunks that questions find. */
export async function evaluateRoute(app: FastifyInstance): Promise<void> {
  const { chunksmith: services } = app;
  const schema = evaluateRouteSchema(services.registry, services.requestSchemas);
  const run = evaluateNamed(services);
  app.post('/v1/evaluate', { schema }, (request, reply) =>
    (wantsLines(request) ? answerInParts : answerWork)(request, reply, 'evaluate', services, run),
  );
}
