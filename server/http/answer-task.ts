import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../core/errors.ts';
import type { Task } from '../service/tasks.ts';
import { bodyOf, sendBytes } from './bytes-body.ts';
import { logWork } from './request-log.ts';
import type { Services } from './services.ts';

/** Runs a task on the request and answers with its bytes and response metadata, or with a stream. */
export type AnswerTask<T extends Task> = (
  request: FastifyRequest,
  reply: FastifyReply,
  task: T,
) => Promise<FastifyReply>;

export function answerWith({ runner, metrics }: Services): AnswerTask<Task> {
  return async (request, reply, task) => {
    const body = bodyOf(request);
    const stop = stopWhenGone(reply);
    const received = body.length;
    const { bytes, metadata, timings, queueSeconds } = await runner.run(task, body, stop);
    metrics.worked(labelOf(task), received, queueSeconds, timings);
    logWork(request, queueSeconds, timings);
    for (const [name, value] of Object.entries(metadata)) reply.header(`x-${name}`, value);
    return sendBytes(reply, bytes);
  };
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
