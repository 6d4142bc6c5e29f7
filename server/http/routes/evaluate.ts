import type { FastifyInstance } from 'fastify';
import { answerWith, stopWhenGone } from '../answer-task.ts';
import { bodyOf } from '../bytes-body.ts';
import { evaluateRouteSchema } from '../documentation/evaluate-schemas.ts';
import { namedPipelines } from '../pipelines/named.ts';
import { answerInParts } from '../streams/answer-parts.ts';
import { wantsLines } from '../streams/media.ts';

/** The route that compares candidates by the chunks that questions find. */
export async function evaluateRoute(app: FastifyInstance): Promise<void> {
  const { chunksmith: services } = app;
  const answer = answerWith(services);
  const schema = evaluateRouteSchema(services.registry, services.requestSchemas);
  app.post('/v1/evaluate', { schema }, async (request, reply) => {
    const stop = stopWhenGone(reply);
    const task = {
      run: 'evaluate',
      pipelines: await namedPipelines(bodyOf(request), stop, services),
    } as const;
    if (wantsLines(request)) return answerInParts({ request, reply, task, stop }, services);
    return answer(request, reply, task, stop);
  });
}
