/** The URL of the service: the folder that contains this page. A service may be served under any path. */
export const BASE = new URL('./', location.href);

export class ServiceProblem extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof ServiceProblem ? error.message : 'The service cannot be reached.';
}

let key = '';

export function useKey(given: string): void {
  key = given;
}

export interface Answer<T> {
  readonly body: T;
  readonly headers: Headers;
}

/**
 * Calls the service.
 *
 * @param path relative to the URL of the service, such as `v1/plugins`
 * @throws ServiceProblem with the service's error message
 */
export async function call<T>(path: string, init: RequestInit = {}): Promise<Answer<T>> {
  const headers = new Headers(init.headers);
  if (key !== '') headers.set('authorization', `Bearer ${key}`);
  const response = await fetch(new URL(path, BASE), { ...init, headers });
  const body: unknown = await response
    .json()
    .catch(() => ({ detail: `The answer is not JSON (status ${response.status}).` }));
  if (!response.ok) throw new ServiceProblem(response.status, String((body as { detail?: unknown }).detail));
  return { body: body as T, headers: response.headers };
}

export function post<T>(path: string, body: object, signal?: AbortSignal): Promise<Answer<T>> {
  return call<T>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}
