import type { ModelFile } from '../../../core/contracts/collaborators.ts';
import { type Hub, type HubAnswer, HubRefusal } from './hub.ts';
import {
  appendToPartial,
  findPartial,
  isStrongEtag,
  type Origin,
  type PartialDownload,
  partialPath,
  sha256OfPartial,
  startPartial,
  tooLarge,
} from './partial-download.ts';

/** One file that is to come from the hub. */
export interface Transfer {
  readonly hub: Hub;
  readonly url: URL;
  readonly file: ModelFile;
  /** Where the partial download is, which the transfer completes. */
  readonly place: string;
  /** How long the hub may be silent, in milliseconds. */
  readonly timeout: number;
  readonly onBytes: (bytes: number, total: number | undefined) => void;
}

/** An answer with bytes of the file. */
interface FileAnswer extends HubAnswer {
  /** Where its first byte belongs in the file. */
  readonly from: number;
  /** The length of the whole file, if the hub says it. */
  readonly total: number | undefined;
}

/** Tries once to get what is missing of a file, and checks the whole. */
export async function transfer({ place, file, ...one }: Transfer): Promise<void> {
  const idle = startIdleTimeout(one.timeout);
  try {
    const { response, from, total, sha256 } = await askForRest(one, place, idle.signal);
    const { body } = response;
    if (body === null || response.status !== (from === 0 ? 200 : 206)) throw await refusal(response);
    if (total !== undefined && total > file.maxBytes) throw await refusal(response, tooLarge(file.maxBytes));
    if (from === 0) await startPartial(place, originOf(one.url, response));
    const onBytes = (now: number) => {
      idle.reset();
      one.onBytes(now, total);
    };
    const bytes = await appendToPartial(place, { from, body, maxBytes: file.maxBytes, onBytes });
    idle.end();
    if (total !== undefined && total !== bytes) throw new Error('it is not as long as announced');
    await check(place, file, sha256);
  } catch (error) {
    throw idle.signal.aborted ? idle.signal.reason : error;
  } finally {
    idle.end();
  }
}

/** Asks for what is missing, or for the whole file if the hub does not resume the partial download. */
async function askForRest(
  { hub, url }: Pick<Transfer, 'hub' | 'url'>,
  place: string,
  signal: AbortSignal,
): Promise<FileAnswer> {
  const partial = await findPartial(place, url.href);
  if (partial !== undefined) {
    const range = { range: `bytes=${partial.bytes}-`, 'if-range': partial.etag };
    const answer = await hub.ask(url, range, signal);
    const { status } = answer.response;
    if (status === 206 && isRestOf(partial, answer.response)) return resumed(answer, partial);
    if (status !== 206 && status !== 416) return whole(answer);
    await answer.response.body?.cancel();
    await startPartial(place);
  }
  return whole(await hub.ask(url, {}, signal));
}

const resumed = (answer: HubAnswer, { bytes }: PartialDownload): FileAnswer => ({
  ...answer,
  from: bytes,
  total: rangeOf(answer.response)?.total,
});

function whole(answer: HubAnswer): FileAnswer {
  const { headers } = answer.response;
  const length = isEncoded(headers) ? null : headers.get('content-length');
  return { ...answer, from: 0, total: length === null ? undefined : Number(length) };
}

/** Whether an answer has exactly the bytes that are missing. */
function isRestOf(partial: PartialDownload, response: Response): boolean {
  const range = rangeOf(response);
  const etag = response.headers.get('etag') ?? partial.etag;
  return range?.from === partial.bytes && etag === partial.etag && !isEncoded(response.headers);
}

/** The range of an answer that reaches to the end of the file. */
function rangeOf({ headers }: Response): { from: number; total: number } | undefined {
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? [];
  return Number(to) + 1 === Number(total) ? { from: Number(from), total: Number(total) } : undefined;
}

/** An encoded body differs from the file in length and in the places of its bytes. */
const isEncoded = (headers: Headers): boolean =>
  !['', 'identity'].includes(headers.get('content-encoding') ?? '');

function originOf(url: URL, { headers }: Response): Origin | undefined {
  const etag = headers.get('etag');
  return isStrongEtag(etag) && !isEncoded(headers) ? { url: url.href, etag } : undefined;
}

/** Ends an answer that is of no use, and says why. */
async function refusal(response: Response, error?: Error): Promise<Error> {
  await response.body?.cancel();
  return error ?? new HubRefusal(response);
}

async function check(place: string, file: ModelFile, sha256: string | undefined): Promise<void> {
  if (sha256 !== undefined && (await sha256OfPartial(place)) !== sha256)
    throw new Error('its SHA-256 is not the one that the hub announced');
  await file.check?.(partialPath(place));
}

/** Aborts a transfer when no bytes arrive for a while; one that proceeds may take as long as it likes. */
interface IdleTimeout {
  /** Its reason is an IdleTimeoutError. */
  readonly signal: AbortSignal;
  /** Restarts the timer, because bytes have arrived. */
  reset(): void;
  end(): void;
}

export class IdleTimeoutError extends Error {}

function startIdleTimeout(milliseconds: number): IdleTimeout {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new IdleTimeoutError(`it was silent for longer than ${milliseconds / 1000} s`));
  }, milliseconds);
  return { signal: controller.signal, reset: () => void timer.refresh(), end: () => clearTimeout(timer) };
}
