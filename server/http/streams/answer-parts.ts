import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorLine } from '../../service/run-lines.ts';
import type { EvaluateTask } from '../../service/tasks.ts';
import { labelOf, noteWork } from '../answer-task.ts';
import { bodyOf } from '../bytes-body.ts';
import { asServiceError, reportFailure } from '../error-handler.ts';
import type { Services } from '../services.ts';
import { LINES } from './media.ts';

/** A task whose answer is wanted in lines, and who is answered. */
interface PartsRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly task: EvaluateTask;
  /** Aborts if the client goes away. */
  readonly stop: AbortController;
}

/**
 * Answers with a line for each candidate, sent as soon as it is there. What fails all of them afterwards stands in a last
 * line.
 *
 * @throws ServiceError what fails the whole request, before the first line is sent
 */
export async function answerInParts(
  { request, reply, task, stop }: PartsRequest,
  { runner, metrics }: Services,
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
    // Work that does not heed its signal may go on when it is answered that the time is up.
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
  runner.run(task, body, stop, send).then((done) => {
    noteWork(request, task, length, done, metrics);
    end();
  }, fail);
  await started.promise;
  metrics.streamed(labelOf(task));
  return reply.type(`${LINES}; charset=utf-8`).send(stream);
}
