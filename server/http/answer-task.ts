import type { FastifyReply, FastifyRequest } from 'fastify';
import { fromPlainError, ServiceError } from '../../core/errors.ts';
import type { ByteBudget } from '../run/byte-budget.ts';
import type { RunAnswer } from '../run/run-answer.ts';
import { metadataOf } from '../service/response-metadata.ts';
import type { Task } from '../service/tasks.ts';
import { bodyOf, sendBytes } from './bytes-body.ts';
import { reportFailure } from './error-handler.ts';
import type { Metrics } from './metrics.ts';
import { logWork } from './request-log.ts';
import type { Services } from './services.ts';

/**
 * Runs a task on the request and answers with its bytes and response metadata, or with a stream.
 *
 * @param stop aborts if the client goes away; by default one is made
 */
export type AnswerTask<T extends Task> = (
  request: FastifyRequest,
  reply: FastifyReply,
  task: T,
  stop?: AbortController,
) => Promise<FastifyReply>;

export function answerWith({ runner, metrics, byteBudget }: Services): AnswerTask<Task> {
  return async (request, reply, task, stop = stopWhenGone(reply)) => {
    const body = bodyOf(request);
    const received = body.length;
    const answer = await runner.run(task, body, stop);
    noteWork(request, task, received, answer, metrics);
    chargeAnswer(reply, answer.bytes.length, byteBudget);
    const metadata = metadataOf(answer.reported);
    for (const name in metadata) reply.header(`x-${name}`, metadata[name]);
    return sendBytes(reply, answer.bytes);
  };
}

/** An answer that waits for a slow client takes memory as well: until it is sent, it counts as the body did. */
function chargeAnswer(reply: FastifyReply, bytes: number, byteBudget: ByteBudget): void {
  if (reply.raw.destroyed) return;
  byteBudget.force(bytes);
  reply.raw.once('close', () => byteBudget.giveBack(bytes));
}

/** Has metrics and the log know of work that is done, and of what failed of it. @param received bytes of the request */
export function noteWork(
  request: FastifyRequest,
  task: Task,
  received: number,
  { timings, queueSeconds, failures = [] }: Pick<RunAnswer, 'timings' | 'queueSeconds' | 'failures'>,
  metrics: Metrics,
): void {
  metrics.worked(labelOf(task), received, queueSeconds, timings);
  logWork(request, queueSeconds, timings);
  for (const failure of failures) reportFailure(fromPlainError(failure), request, metrics);
}

/** What metrics call the work of a task. */
export function labelOf(task: Task): string {
  if (task.run === 'file') return labelOf(task.of);
  if (task.run === 'execute') return 'pipeline';
  return 'name' in task ? task.name : task.run;
}

/** A controller that aborts if the client closes the connection before it has its answer. */
export function stopWhenGone(reply: FastifyReply): AbortController {
  const stop = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) stop.abort(new ServiceError('client_gone'));
  });
  return stop;
}
