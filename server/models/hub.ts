import type { Settings } from '../../core/contracts.ts';

/** The hub of models, over HTTP. */
export interface Hub {
  urlOf(name: string, file: string): URL;
  /** Asks for a URL of the hub, and follows its redirects. */
  ask(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HubAnswer>;
}

export interface HubAnswer {
  readonly response: Response;
  /** What the hub says that the SHA-256 of the whole file is, in hexadecimal digits. */
  readonly sha256: string | undefined;
}

/** The hub answered, but not with the file. */
export class HubRefusal extends Error {
  readonly status: number;
  /** Milliseconds that the hub asks to wait. */
  readonly retryAfter: number | undefined;

  constructor({ status, headers }: Response) {
    super(messageOf(status));
    this.status = status;
    this.retryAfter = retryAfterOf(headers.get('retry-after'));
  }
}

const MAX_REDIRECTS = 5;
/** Codes of connections that broke, or did not come about for a reason that may pass. */
const BREAKS = [
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
];

export function createHub(settings: Settings, fetch: typeof globalThis.fetch): Hub {
  const { hubEndpoint, hubToken, hubRevision } = settings;
  return {
    urlOf: (name, file) =>
      new URL(`${hubEndpoint.replace(/\/+$/, '')}/${name}/resolve/${hubRevision}/${file}`),
    /** Follows redirects itself, because the token must never reach another origin. */
    async ask(url, given, signal) {
      let place = url;
      let sha256: string | undefined;
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const isHome = place.origin === url.origin;
        const headers: Record<string, string> = { 'accept-encoding': 'identity', ...given };
        if (hubToken !== '' && isHome) headers.authorization = `Bearer ${hubToken}`;
        const response = await fetch(place, { headers, redirect: 'manual', signal });
        if (isHome) sha256 ??= sha256Of(response.headers, redirects === 0);
        const location = response.headers.get('location');
        if (response.status < 300 || response.status >= 400 || location === null) return { response, sha256 };
        await response.body?.cancel();
        place = new URL(location, place);
        if (place.protocol !== 'https:' && place.protocol !== url.protocol)
          throw new Error('it redirects to no https address');
      }
      throw new Error('it redirects too often');
    },
  };
}

/** Whether a connection broke, so that the same request may work when it is made again. */
export const isBreak = (error: unknown): boolean => BREAKS.includes(codeOf(error) ?? '');

/** The code of an error of the system or of `fetch`, which hides it in the cause. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error ? String(error.code) : codeOf(error.cause);
}

/**
 * Files in git-lfs have their SHA-256 for an etag. Only the hub's own answer says it: the store that it
 * redirects to may have etags of the same look, which are the hashes of something else.
 */
function sha256Of(headers: Headers, isFirst: boolean): string | undefined {
  const etag = headers.get('x-linked-etag') ?? (isFirst ? headers.get('etag') : undefined) ?? '';
  return /^(?:W\/)?"?([0-9a-f]{64})"?$/i.exec(etag)?.[1]?.toLowerCase();
}

/** Seconds or a date, in milliseconds from now. */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const milliseconds = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

function messageOf(status: number): string {
  if (status === 401 || status === 403) {
    return `it answered ${status}; set HF_TOKEN to a token that may read it, or put the file into the models folder`;
  }
  if (status === 429) return 'it answered 429, too many requests; wait, or set HF_TOKEN';
  return `it answered ${status}; try again later, or put the file into the models folder`;
}
