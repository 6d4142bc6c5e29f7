/** The reason why a request has no usable answer. */
export type FailureCode =
  /** The service refused the request: `status` and `detail` say why. */
  | 'refused'
  /** No connection could be opened, or the connection was lost before the answer. */
  | 'unreachable'
  /** The answer did not arrive in time. */
  | 'timeout'
  /** The answer is incomplete. */
  | 'cut_off'
  /** The answer does not come from a Chunksmith service, but for example from a proxy. */
  | 'invalid_answer';

export interface Failure {
  readonly code: FailureCode;
  /** The error message: says what is wrong and what to change. */
  readonly detail: string;
  /** The HTTP status; undefined if no answer arrived. */
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** Seconds to wait before a retry, from the header `retry-after`. */
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/** The only error class of this client. */
export class ChunksmithError extends Error implements Failure {
  override readonly name = 'ChunksmithError';
  readonly code: FailureCode;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;

  constructor({ code, detail, status, requestId, retryAfter, cause }: Failure) {
    super(detail, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }

  get detail(): string {
    return this.message;
  }
}

const MAX_EXCERPT_LENGTH = 200;

/** Converts an error answer of the service. @param answer with a status that is not 2xx */
export async function errorOf(answer: Response): Promise<ChunksmithError> {
  const { status, headers } = answer;
  const text = await answer.text().catch(() => '');
  const detail = detailIn(text);
  return new ChunksmithError({
    code: detail === undefined ? 'invalid_answer' : 'refused',
    detail: detail ?? `${answer.url} answered ${status}: ${text.slice(0, MAX_EXCERPT_LENGTH)}`,
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: secondsIn(headers.get('retry-after')),
  });
}

/** Parses the JSON of a successful answer or of one of its lines. @throws ChunksmithError if the text is not JSON */
export function parsed<T>(text: string, url: string): T {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const detail = `${url} did not answer with JSON: is it the base URL of a Chunksmith service?`;
    throw new ChunksmithError({ code: 'invalid_answer', detail, cause });
  }
}

function detailIn(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null || !('detail' in body)) return undefined;
    return typeof body.detail === 'string' ? body.detail : JSON.stringify(body.detail);
  } catch {
    return undefined;
  }
}

/** Converts the header `retry-after`, a number of seconds or a date, to seconds from now. */
function secondsIn(value: string | null): number | undefined {
  if (value === null) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(seconds, 0) : undefined;
}
