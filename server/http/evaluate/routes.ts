import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorLine } from '../../engine/operations/lines.ts';
import type { RunAnswer } from '../../engine/run/executor.ts';
import type { OnPart } from '../../engine/tasks.ts';
import { answerWork, noteWork, stopWhenGone } from '../transport/answer-work.ts';
import { bodyOf } from '../transport/bodies.ts';
import { asServiceError, reportFailure } from '../transport/error-handler.ts';
import { LINES, wantsLines } from '../transport/media.ts';
import type { Services } from '../transport/services.ts';
import { evaluateNamed } from './named-pipelines.ts';
import { evaluateRouteSchema } from './schemas.ts';

/** The route that compares candidates by the chunks that questions find. */
export async function evaluateRoute(app: FastifyInstance): Promise<void> {
  const { chunksmith: services } = app;
  const schema = evaluateRouteSchema(services.registry, services.requestSchemas);
  const run = evaluateNamed(services);
  app.post('/v1/evaluate', { schema }, (request, reply) =>
    (wantsLines(request) ? answerInParts : answerWork)(request, reply, 'evaluate', services, run),
  );
}

/**
 * Answers with a line for each candidate, sent as soon as it is ready. A later failure of all of them is reported in
 * a final line.
 *
 * @throws ServiceError an error of the whole request, before the first line is sent
 */
async function answerInParts(
  request: FastifyRequest,
  reply: FastifyReply,
  label: string,
  { metrics }: Services,
  run: (body: Buffer, stop: AbortController, onPart: OnPart) => Promise<RunAnswer>,
): Promise<FastifyReply> {
  const body = bodyOf(request);
  const { length } = body;
  const stream = new Readable({ read() {} });
  const started = Promise.withResolvers<void>();
  let sent = 0;
  let isOver = false;
  const end = () => {
    isOver = true;
    stream.push(null);
  };
  const send = (line: Uint8Array) => {
    // Work that ignores its signal may continue after the timeout was answered.
    if (isOver) return;
    sent++;
    stream.push(line);
    started.resolve();
  };
  const fail = (error: unknown) => {
    started.reject(error);
    if (sent === 0 || reply.raw.destroyed) return;
    reportFailure(error, request, metrics);
    send(errorLine({ index: sent }, asServiceError(error, request)));
    end();
  };
  run(body, stopWhenGone(reply), send).then((done) => {
    noteWork(request, label, length, done, metrics);
    end();
  }, fail);
  await started.promise;
  metrics.streamed(label);
  return reply.type(`${LINES}; charset=utf-8`).send(stream);
}
