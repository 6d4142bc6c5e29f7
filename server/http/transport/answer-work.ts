import type { FastifyReply, FastifyRequest } from 'fastify';
import { fromPlainError, ServiceError } from '../../../core/errors.ts';
import { metadataOf } from '../../engine/answer/response-metadata.ts';
import type { RunAnswer } from '../../engine/run/executor.ts';
import type { Task } from '../../engine/tasks.ts';
import { bodyOf, sendBytes } from './bodies.ts';
import { reportFailure } from './error-handler.ts';
import type { Metrics } from './metrics.ts';
import { logWork } from './request-log.ts';
import type { Services } from './services.ts';

/** Runs a task, and answers the request with bytes and response metadata, or with a stream. */
export type AnswerTask<T extends Task> = (
  request: FastifyRequest,
  reply: FastifyReply,
  task: T,
) => Promise<FastifyReply>;

export function answerWith(services: Services): AnswerTask<Task> {
  return (request, reply, task) =>
    answerWork(request, reply, services.service.label(task), services, (body, stop) =>
      services.runner.run(task, body, stop),
    );
}

/**
 * Runs work, and answers the request with its bytes and response metadata.
 *
 * @param label name of the work in metrics
 * @param run does the work; `stop` aborts if the client disconnects
 */
export async function answerWork(
  request: FastifyRequest,
  reply: FastifyReply,
  label: string,
  { metrics, byteBudget }: Services,
  run: (body: Buffer, stop: AbortController) => Promise<RunAnswer>,
): Promise<FastifyReply> {
  const body = bodyOf(request);
  const received = body.length;
  const answer = await run(body, stopWhenGone(reply));
  noteWork(request, label, received, answer, metrics);
  const { length } = answer.bytes;
  if (!reply.raw.destroyed) {
    // Until the answer is sent, it is charged like a body, because it takes memory while a slow client reads.
    byteBudget.force(length);
    reply.raw.once('close', () => byteBudget.giveBack(length));
  }
  const metadata = metadataOf(answer.reported);
  for (const name in metadata) reply.header(`x-${name}`, metadata[name]);
  return sendBytes(reply, answer.bytes);
}

/** Records finished work and its failures in metrics and the log. @param received bytes of the body */
export function noteWork(
  request: FastifyRequest,
  label: string,
  received: number,
  { timings, queueSeconds, failures = [] }: Pick<RunAnswer, 'timings' | 'queueSeconds' | 'failures'>,
  metrics: Metrics,
): void {
  metrics.worked(label, received, queueSeconds, timings);
  logWork(request, queueSeconds, timings);
  for (const failure of failures) reportFailure(fromPlainError(failure), request, metrics);
}

/** Creates a controller that aborts if the client closes the connection before the answer is sent. */
export function stopWhenGone(reply: FastifyReply): AbortController {
  const stop = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) stop.abort(new ServiceError('client_gone'));
  });
  return stop;
}
