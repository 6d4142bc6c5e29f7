import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, ServiceError } from '../../core/errors.ts';
import { nearest } from '../nearest.ts';

/** What is no failure: under load there are thousands of these a second, and the log has a line for each request. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['overloaded', 'too_much_in_flight']);

/** Answers an error as `{"detail": …}`, whoever raised it, and logs what the caller must not see. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = asServiceError(error, request);
  if (problem.status >= 500 && !REFUSALS.has(problem.code)) {
    request.log.error({ err: error, code: problem.code }, problem.message);
  }
  if (problem.retryAfter !== undefined) reply.header('retry-after', problem.retryAfter);
  return reply.code(problem.status).type('application/json; charset=utf-8').send({ detail: problem.detail });
}

/** A path that no route takes, naming the nearest that one does. */
export function notFound(path: string, known: readonly string[]): ServiceError {
  const near = nearest(path, known);
  const hint = near === undefined ? ' GET / lists what there is.' : ` Did you mean ${near}?`;
  return new ServiceError('not_found', { path, hint });
}

/** The path of a request without its query, cut to a length that can be shown. */
export function pathOf(request: FastifyRequest): string {
  return (request.url.split('?')[0] as string).slice(0, 200);
}

/** Translates the framework's own errors into those of the catalogue. */
function asServiceError(error: unknown, request: FastifyRequest): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code, statusCode } = (error ?? {}) as Partial<FastifyError>;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ServiceError('body_too_large', { limit: request.routeOptions.bodyLimit ?? 0 }, error);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ServiceError('unsupported_media_type', { received: mediaType(request) }, error);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return badRequest('the body is shorter than its Content-Length; send it whole', error);
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ServiceError('not_found', { path: pathOf(request), hint: '' }, error);
    case 'FST_ERR_BAD_URL':
      return badRequest(`the path ${pathOf(request)} is not valid: encode it as UTF-8 with %XX`, error);
    default:
      return statusCode === 400 && error instanceof Error
        ? badRequest(error.message, error)
        : new ServiceError('internal', {}, error);
  }
}

function badRequest(problems: string, cause: unknown): ServiceError {
  return new ServiceError('invalid_parameters', { problems: `${problems}.` }, cause);
}

function mediaType(request: FastifyRequest): string {
  const type = request.headers['content-type'];
  return type === undefined ? 'is missing and' : JSON.stringify(type.slice(0, 100));
}
