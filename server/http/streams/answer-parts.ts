import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorLine } from '../../engine/operations/lines.ts';
import type { RunAnswer } from '../../engine/run/executor.ts';
import type { OnPart } from '../../engine/tasks.ts';
import { noteWork, stopWhenGone } from '../answer-task.ts';
import { bodyOf } from '../bytes-body.ts';
import { asServiceError, reportFailure } from '../error-handler.ts';
import type { Services } from '../services.ts';
import { LINES } from './media.ts';

/**
 * Answers with a line for each candidate, sent as soon as it is there. What fails all of them afterwards stands in a last
 * line.
 *
 * @throws ServiceError what fails the whole request, before the first line is sent
 */
export async function answerInParts(
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
  run(body, stopWhenGone(reply), send).then((done) => {
    noteWork(request, label, length, done, metrics);
    end();
  }, fail);
  await started.promise;
  metrics.streamed(label);
  return reply.type(`${LINES}; charset=utf-8`).send(stream);
}
