import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { type ErrorCode, invalid, reasonOf, ServiceError } from '../../../core/errors.ts';
import { isDecodingError } from './bodies.ts';
import type { Metrics } from './metrics.ts';
import { withoutQuery } from './request-log.ts';

/** Errors of admission control. They are not logged, because each request already has a line in the log. */
const ADMISSION_ERRORS: ReadonlySet<ErrorCode> = new Set(['overloaded', 'too_much_in_flight']);
/** Errors of valid requests that this server cannot serve. They are logged as warnings without a stack. */
const WARNINGS: ReadonlySet<ErrorCode> = new Set([
  'jobs_off',
  'missing_capability',
  'model_files_missing',
  'timed_out',
]);

/** Errors caused by a plugin. Their `values` have the plugin's kind and name. */
const PLUGIN_FAULTS: ReadonlySet<ErrorCode> = new Set(['plugin_failed', 'broken_promise']);

/** The answer to an error, within or before Fastify. The body is JSON: `{"detail": …}`. */
export function errorAnswerOf({ status, detail, retryAfter }: ServiceError) {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  };
  return { status, headers, body: JSON.stringify({ detail }) };
}

export const errorHandler = plugin(
  async (app) => {
    const { metrics } = app.chunksmith;
    app.setErrorHandler((error, request, reply) => {
      countFault(error, metrics);
      return sendError(error, request, reply);
    });
  },
  { name: 'chunksmith-error-handler', dependencies: ['chunksmith-services'] },
);

export function reportFailure(error: unknown, request: FastifyRequest, metrics: Metrics): void {
  countFault(error, metrics);
  logFailure(asServiceError(error, request), error, request);
}

function countFault(error: unknown, metrics: Metrics): void {
  if (!(error instanceof ServiceError) || !PLUGIN_FAULTS.has(error.code)) return;
  const { kind, name } = error.values;
  metrics.failed(String(kind), String(name), error.code);
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = asServiceError(error, request);
  logFailure(known, error, request);
  const { status, headers, body } = errorAnswerOf(known);
  return reply.code(status).headers(headers).send(body);
}

function logFailure(known: ServiceError, error: unknown, { log }: FastifyRequest): void {
  const { code, status, message } = known;
  if (status < 500 || ADMISSION_ERRORS.has(code)) return;
  if (WARNINGS.has(code)) log.warn({ code }, message);
  else log.error({ err: error, code }, message);
}

/** The path of a request, without its query and truncated to 200 characters. */
export function pathOf({ url }: FastifyRequest): string {
  return withoutQuery(url).slice(0, 200);
}

export function asServiceError(error: unknown, request: FastifyRequest): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code = '', statusCode } = (error ?? {}) as Partial<FastifyError>;
  if (isDecodingError(code)) {
    const encoding = request.headers['content-encoding'] ?? '';
    return new ServiceError('body_not_decoded', { encoding, reason: reasonOf(error) }, error);
  }
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ServiceError('unsupported_media_type', { received: mediaType(request) }, error);
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ServiceError('not_found', { path: pathOf(request), hint: '' }, error);
    case 'FST_ERR_BAD_URL':
      return invalid(`the path ${pathOf(request)} is not valid: encode it as UTF-8 with %XX`, error);
    default:
      return byStatus(statusCode, error, request);
  }
}

/** Translates an error of a Fastify plugin by its status, for example for a path outside the static files. */
function byStatus(statusCode: number | undefined, error: unknown, request: FastifyRequest): ServiceError {
  if (statusCode === 403 || statusCode === 404) {
    return new ServiceError('not_found', { path: pathOf(request), hint: '' }, error);
  }
  if (statusCode === 400 && error instanceof Error) return invalid(error.message, error);
  return new ServiceError('internal', {}, error);
}

function mediaType(request: FastifyRequest): string {
  const type = request.headers['content-type'];
  return type === undefined ? 'is missing and' : JSON.stringify(type.slice(0, 100));
}
