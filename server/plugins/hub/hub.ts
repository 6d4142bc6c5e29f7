import type { HubSettings } from '../../config/hub-settings.ts';
import { retryAfterOf } from '../../config/retry.ts';

export type Hub = ReturnType<typeof createHub>;

export interface HubAnswer {
  readonly response: Response;
  /** SHA-256 of the whole file in hexadecimal; undefined if the hub does not announce it. */
  readonly sha256: string | undefined;
}

/** The hub answered with an error status instead of the file. */
export class HubRefusal extends Error {
  readonly status: number;
  /** Milliseconds that the hub asks to wait. */
  readonly retryAfter: number | undefined;

  constructor({ status, headers }: Response) {
    super(messageOf(status));
    this.status = status;
    this.retryAfter = retryAfterOf(headers);
  }
}

const MAX_REDIRECTS = 5;

export function createHub(settings: HubSettings, fetch: typeof globalThis.fetch) {
  const { hubEndpoint, hubToken, hubRevision } = settings;
  return {
    urlOf: (name: string, file: string) => new URL(`${hubEndpoint}/${name}/resolve/${hubRevision}/${file}`),
    /** Requests a URL of the hub. `fetch` must not follow redirects: no other origin may get the token. */
    async ask(url: URL, given: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HubAnswer> {
      let current = url;
      let sha256: string | undefined;
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const isHub = current.origin === url.origin;
        const headers: Record<string, string> = { 'accept-encoding': 'identity', ...given };
        if (hubToken !== '' && isHub) headers.authorization = `Bearer ${hubToken}`;
        const response = await fetch(current, { headers, redirect: 'manual', signal });
        if (isHub) sha256 ??= sha256Of(response.headers, redirects === 0);
        const next = redirectOf(response, current);
        if (next === undefined) return { response, sha256 };
        await response.body?.cancel();
        if (next.protocol !== 'https:' && next.protocol !== url.protocol)
          throw new Error('it redirects to a URL that is not https');
        current = next;
      }
      throw new Error('it redirects too often');
    },
  };
}

function redirectOf({ status, headers }: Response, from: URL): URL | undefined {
  const location = headers.get('location');
  return status < 300 || status >= 400 || location === null ? undefined : new URL(location, from);
}

/**
 * The SHA-256 of a file in git-lfs: its etag. `etag` counts only in the hub's first answer. After a redirect,
 * `etag` may be the hash of something else.
 */
function sha256Of(headers: Headers, isFirst: boolean): string | undefined {
  const etag = headers.get('x-linked-etag') ?? (isFirst ? headers.get('etag') : undefined) ?? '';
  return /^(?:W\/)?"?([0-9a-f]{64})"?$/i.exec(etag)?.[1]?.toLowerCase();
}

function messageOf(status: number): string {
  if (status === 401 || status === 403) {
    return `it answered ${status}; set HF_TOKEN to a token with access, or put the file into the models folder`;
  }
  if (status === 429) return 'it answered 429, too many requests; wait, or set HF_TOKEN';
  return `it answered ${status}; try again later, or put the file into the models folder`;
}
