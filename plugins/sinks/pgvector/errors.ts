/** Temporary SQL states: a server that starts, stops or is full, and transactions that conflicted. */
const TRANSIENT = /^(08...|57P0[1-3]|53...|40001|40P01)$/;
/** Codes of the system, such as EPIPE, contain no digit. */
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/;

interface Failure {
  readonly code?: unknown;
  readonly message?: unknown;
}

/** The SQL state of an error; undefined if it is from the connection and not from the server. */
function stateOf(error: unknown): string | undefined {
  const { code } = error as Failure;
  return typeof code === 'string' && SQL_STATE.test(code) ? code : undefined;
}

/** Whether the same statement may succeed later. */
export function isTransient(error: unknown): boolean {
  const state = stateOf(error);
  if (state !== undefined) return TRANSIENT.test(state);
  return !(error instanceof TypeError);
}

/** Whether the words of a text exceed a `tsvector`. @param error caused by an error of the server */
export function isTooLong(error: unknown): boolean {
  const cause = (error as Error).cause ?? {};
  return stateOf(cause) === '54000' && /\btsvector\b/.test((cause as Error).message);
}

/** What went wrong, for callers. */
export function describeError(error: unknown): string {
  const { code, message } = error as Failure;
  const said = typeof message === 'string' && message !== '' ? message : String(code);
  const state = stateOf(error);
  if (state === undefined) return `PostgreSQL cannot be reached: ${said}; check PGVECTOR_URL`;
  if (/\bextension "vector" is not available\b/.test(said)) {
    return 'PostgreSQL has no extension pgvector: install it, or choose the option vectors: "array"';
  }
  return state.startsWith('28') ? `PostgreSQL: ${said}; check PGVECTOR_URL` : `PostgreSQL: ${said}`;
}
