import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { ServiceError } from '../../core/errors.ts';
import type { PluginEntry } from '../../core/registry.ts';
import type { Metrics } from '../metrics.ts';
import { release } from '../run/release.ts';
import type { Runner } from '../run/runner.ts';
import type { Task } from '../service.ts';
import { errorAnswers } from './schemas.ts';

/**
 * Lets JSON bodies through as the bytes they came in: they are parsed and checked where the work is
 * done. The schemas of these routes are for the documentation alone.
 */
export function passJsonAsBytes(app: FastifyInstance, bodyLimit: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  app.addHook('onRoute', (route) => {
    route.bodyLimit = bodyLimit;
  });
  app.setValidatorCompiler(() => () => true);
}

/** A string of up to so many bytes goes out in one write with the headers. */
const SMALL = 16_384;

/** A handler that runs a task on the request's bytes and answers with the bytes that come back. */
export function bytesRoute(
  runner: Runner,
  metrics: Metrics,
  findTask: (request: FastifyRequest) => Task | Promise<Task>,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const body = (request.body ?? Buffer.alloc(0)) as Buffer;
    const bodyBytes = body.length;
    const task = await findTask(request);
    const answer = await runner.run(task, body, abortedWith(reply));
    metrics.worked('name' in task ? task.name : 'pipeline', bodyBytes, answer.queueSeconds, answer.measures);
    const bytes = Buffer.from(answer.bytes.buffer, answer.bytes.byteOffset, answer.bytes.byteLength);
    for (const [fact, value] of Object.entries(answer.facts)) reply.header(`x-${fact}`, value);
    reply.type('application/json; charset=utf-8');
    if (bytes.length <= SMALL) return reply.send(bytes.toString());
    reply.raw.once('close', () => release(answer.bytes));
    return reply.send(bytes);
  };
}

/** A signal that aborts when the client goes away before it has its answer. */
function abortedWith(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new ServiceError('client_gone'));
  });
  return controller.signal;
}

/** What the documentation says of a plugin's route. */
export function pluginDocs(entry: PluginEntry, tag: string, body: object, answer: object): FastifySchema {
  const { name, summary, example } = entry.manifest;
  const missing =
    entry.missing.length === 0 ? '' : `\n\n**Not available here:** ${entry.missing.join('; ')}.`;
  return {
    tags: [tag],
    operationId: `${tag}_${name.replaceAll('-', '_')}`,
    summary,
    description: summary + missing,
    body: example === undefined ? body : { ...body, examples: [example] },
    response: { 200: answer, ...errorAnswers([400, 405, 413, 415, 500, 503]) },
  };
}
