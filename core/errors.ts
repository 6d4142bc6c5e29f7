/**
 * All errors that callers can see, by code: HTTP status and message. A message says what failed and what to change.
 * The error's values replace placeholders: the value `name` replaces `{name}`.
 */
export const CATALOGUE = {
  body_empty: [400, 'The body is empty: send a JSON object.'],
  body_not_utf8: [400, 'The body is not valid UTF-8: encode the JSON as UTF-8.'],
  body_not_json: [400, 'The body is not valid JSON: {reason}.'],
  body_not_decoded: [
    400,
    'The body is not valid {encoding}, although its Content-Encoding says so: {reason}.',
  ],
  body_not_form: [400, 'The body is not a valid form, although its Content-Type says so: {reason}.'],
  line_not_json: [400, '{what} is not a line of valid JSON in UTF-8: {reason}.'],
  /** `problems` is `ServiceError.problems` or a plugin's own message. */
  invalid_parameters: [400, '{problems}'],
  unknown_tokenizer: [400, 'tokenizer: there is no tokenizer {name}; available: {known}.{hint}'],
  unknown_model: [400, 'embedding_model: there is no model {name} here; available: {known}. {remedy}{hint}'],
  model_files_missing: [
    500,
    'embedding_model: the files of the model {name} are not on this machine: put them (tokenizer.json with model.safetensors and config.json, or with onnx/model.onnx) into a folder of that name in the models folder, or start the server with --allow-downloads.',
  ],
  answer_too_large: [
    400,
    'The answer would take at least {bytes} bytes, over the limit of {limit}: send less text per request, or lower chunk_overlap.',
  ],
  unauthorized: [401, 'The request carries no valid key: send the header Authorization: Bearer <key>.'],
  too_many_failed: [
    422,
    '{failed} documents failed, more than the job allows (max_errors is {most}): GET /v1/jobs/ID/errors lists the reasons.',
  ],
  all_failed: [422, '{failed} of {failed} documents failed: GET /v1/jobs/ID/errors lists the reasons.'],
  nothing_read: [422, 'Nothing was read: {skipped}.'],
  path_outside: [400, '{path} is outside {storage}: use a path inside it, without links that lead outside.'],
  path_unusable: [400, '{path} cannot be used: {reason}.'],
  source_changed: [400, '{source} was changed or removed after the work began: start it again.'],
  /** The error of a job's shard that would fail again if it were retried. */
  callback_refused: [400, 'The callback {url} was refused: {reason}.'],
  source_unreadable: [400, '{source} cannot be read: {reason}.'],
  unknown_connection: [400, 'There is no connection {name}; available: {known}.'],
  not_found: [404, 'There is nothing at {path}.{hint}'],
  pipeline_not_found: [404, 'There is no pipeline {id}: {remedy}.'],
  preset_not_found: [404, 'There is no preset {name}; available: {known}.'],
  job_not_found: [404, 'There is no job {id}: GET /v1/jobs lists all jobs.'],
  method_not_allowed: [405, '{path} does not support {method}: use {allowed}.'],
  pipeline_name_taken: [
    409,
    'name: a pipeline named {name} already exists; choose another name, or update that one with PUT.',
  ],
  target_taken: [409, 'The target {target} cannot be written to because {reason}: choose an empty folder.'],
  job_not_over: [409, 'The job {id} is {state}: {remedy}.'],
  precondition_failed: [
    412,
    'The pipeline {id} has changed since it was read: its ETag is now {etag}. Read it again and repeat the change.',
  ],
  body_too_large: [413, 'The body is larger than the limit of {limit} bytes: send less text per request.'],
  line_too_large: [413, '{what} is longer than the limit of {limit} bytes: send less text per line.'],
  unsupported_encoding: [415, 'Content-Encoding {received} is not supported: use gzip, br, deflate or none.'],
  unsupported_media_type: [
    415,
    'Content-Type {received} is not supported: send the header Content-Type: application/json.',
  ],
  unread_format: [415, 'No reader handles {file}{reason}. This server reads {known}.{remedy}'],
  idempotency_key_reused: [
    422,
    'The Idempotency-Key belongs to the job {id}, which was created by a different request: send another key.',
  ],
  too_many_requests: [
    429,
    'More than {limit} requests per minute: try again in {seconds} s, or ask the operator to raise --rate-limit.',
  ],
  too_many_wrong_keys: [
    429,
    'Your address has sent {limit} wrong keys within a minute: try again in {seconds} s with a valid key, or ask the operator about --failed-key-limit.',
  ],
  client_gone: [499, 'The client closed the connection before the answer was ready.'],
  unsupported_transfer_coding: [501, 'Transfer-Encoding {received} is not supported: use chunked.'],
  overloaded: [503, 'The server is busy and its queue is full: try again in {seconds} s.'],
  too_much_in_flight: [
    503,
    'The bodies in flight would take {bytes} bytes, over the limit of {limit}: try again in {seconds} s.',
  ],
  timed_out: [
    503,
    'The request took longer than {timeout} s and was stopped: send less text per request, or start the server with a longer --request-timeout.',
  ],
  shutting_down: [503, 'The server is stopping: send this document, and those after it, again.'],
  store_unavailable: [503, 'The database cannot be used now: {reason}.'],
  store_stuck: [503, 'The database has not answered for a minute: restart the server.'],
  callback_failed: [503, 'The callback {url} was not delivered: {reason}.'],
  storage_failed: [503, '{storage} cannot be used now: {reason}.'],
  jobs_off: [
    500,
    'Jobs are off on this server: start it with --bulk-root FOLDER, or with --bulk-connections FILE for buckets.',
  ],
  missing_capability: [500, 'The {kind} "{name}" cannot run here: {reasons}.'],
  broken_plugin: [500, 'The {kind} "{name}" is broken: {reason}. The server\'s log and --check say where.'],
  plugin_failed: [500, 'The {kind} "{name}" failed: {reason}.'],
  broken_promise: [500, 'The {kind} "{name}" returned an answer that breaks its contract: {reason}.'],
  out_of_memory: [
    500,
    'The request needed more memory than a worker has and was stopped: send less text per request, or start the server with more --worker-memory-mb.',
  ],
  worker_lost: [500, 'The worker of this request ended before the answer was ready: try again.'],
  internal: [500, "Internal error. The server's log has the details under this request id."],
  malformed_plugin: [500, '{file}: {reason}.'],
  duplicate_plugin: [500, '{file}: the {kind} "{name}" already exists in {other}. Rename or remove one.'],
  cyclic_plugins: [500, '{file}: plugins depend on each other in a circle: {circle}.'],
  /** `folder` is the server's working directory. */
  missing_plugin_package: [
    500,
    '--plugins-from: the package {name} is not installed: run "npm install {name}" in {folder}, or remove the name.',
  ],
  unknown_plugin: [400, 'There is no {kind} "{name}"; available: {known}.'],
} as const satisfies Record<string, readonly [status: number, template: string]>;

export type ErrorCode = keyof typeof CATALOGUE;
type Values = Readonly<Record<string, string | number | readonly string[]>>;

const NO_PROBLEMS: readonly string[] = [];

/** An error of the catalogue. Callers receive its `detail`. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly values: Values;

  constructor(code: ErrorCode, values: Values = {}, cause?: unknown) {
    const [status, template] = CATALOGUE[code];
    super(fill(template, values), cause === undefined ? undefined : { cause });
    this.name = 'ServiceError';
    this.code = code;
    this.status = status;
    this.values = values;
  }

  get detail(): string {
    return this.message;
  }

  /** The problems with the parameters of a request: one sentence each, without a full stop. */
  get problems(): readonly string[] {
    const { problems } = this.values;
    return Array.isArray(problems) ? (problems as readonly string[]) : NO_PROBLEMS;
  }

  /** Seconds after which the caller may retry the request; undefined if the error does not define them. */
  get retryAfter(): number | undefined {
    return this.values.seconds === undefined ? undefined : Number(this.values.seconds);
  }
}

/** An error as plain data, which can be sent to another thread. */
export interface PlainError {
  readonly code: ErrorCode;
  readonly values: Values;
  /** Stack for the log; never shown to callers. */
  readonly stack?: string | undefined;
  /** Cause for the log and for plugin authors; never shown to callers. */
  readonly cause?: Error | undefined;
}

export function toPlainError(error: unknown): PlainError {
  if (!(error instanceof ServiceError)) return { code: 'internal', values: {}, cause: plainCause(error) };
  const { code, values, stack, cause } = error;
  return { code, values, stack, cause: plainCause(cause) };
}

export function fromPlainError({ code, values, stack, cause }: PlainError): ServiceError {
  const error = new ServiceError(code, values, cause);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** A copy of a cause that can be sent between threads. The depth is limited, because causes may be circular. */
function plainCause(error: unknown, left = 10): Error | undefined {
  if (error === undefined || left === 0) return undefined;
  if (!(error instanceof Error)) return new Error(String(error));
  const { name, message, stack } = error;
  const cause = plainCause(error.cause, left - 1);
  return Object.assign(new Error(message, cause && { cause }), { name, stack });
}

/**
 * Creates the error for invalid parameters.
 *
 * @param problems one sentence each, which names the parameter and the expected value
 */
export function invalid(problems: string | readonly string[], cause?: unknown): ServiceError {
  return new ServiceError('invalid_parameters', { problems: [problems].flat() }, cause);
}

/** An error whose message callers may read. The message must not contain paths, keys or document text. */
export function exposedError(message: string, cause?: unknown): Error & { readonly expose: true } {
  return Object.assign(new Error(message, { cause }), { expose: true as const });
}

/** Creates an `exposedError` for a mistake of the caller. It is answered with 400 and not retried. */
export function refusedError(
  message: string,
  cause?: unknown,
): Error & { readonly expose: true; readonly statusCode: 400 } {
  return Object.assign(exposedError(message, cause), { statusCode: 400 as const });
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Replaces the placeholders. After a value that ends with punctuation, the template's full stop is left out. */
function fill(template: string, values: Values): string {
  return template.replace(/\{(\w+)\}(\.?)/g, (_, name: string, stop: string) => {
    const value = values[name] ?? '';
    return typeof value === 'object' ? sentence(value.join('; '), '.') : sentence(String(value), stop);
  });
}

function sentence(text: string, stop: string): string {
  return /[.?!]$/.test(text) ? text : text + stop;
}
