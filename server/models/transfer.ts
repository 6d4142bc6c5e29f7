import type { ModelFile } from '../../core/contracts.ts';
import { type Hub, type HubAnswer, HubRefusal } from './hub.ts';
import {
  beginPart,
  isStrongEtag,
  type Part,
  partPath,
  readPart,
  removePart,
  sha256OfPart,
  tooLarge,
  writePart,
} from './part.ts';
import { watchSilence } from './silence.ts';

/** One file that is to come from the hub. */
export interface Transfer {
  readonly hub: Hub;
  readonly url: URL;
  readonly file: ModelFile;
  /** Where the file will be; the transfer makes the part beside it whole. */
  readonly target: string;
  /** How long the hub may be silent, in milliseconds. */
  readonly timeout: number;
  /** Says that another writes the part now. */
  readonly lost: AbortSignal;
  readonly onBytes: (bytes: number, total: number | undefined) => void;
}

/** An answer with bytes of the file. */
interface Coming extends HubAnswer {
  /** The place of the first byte in the file. */
  readonly from: number;
  /** The length of the whole file, where it was said. */
  readonly total: number | undefined;
}

/** Makes one try to get what is missing of a file, and checks the whole. */
export async function transfer({ target, file, lost, ...one }: Transfer): Promise<void> {
  const silence = watchSilence(one.timeout);
  try {
    const signal = AbortSignal.any([silence.signal, lost]);
    const { response, from, total, sha256 } = await ask(one, target, signal);
    const { body } = response;
    if (body === null || response.status !== (from === 0 ? 200 : 206)) throw await refusal(response);
    if (total !== undefined && total > file.maxBytes) throw await refusal(response, tooLarge(file.maxBytes));
    if (from === 0) await beginPart(target, noteOf(one.url, response));
    const bytes = await writePart(target, from, body, file.maxBytes, (now) => {
      silence.broken();
      one.onBytes(now, total);
    });
    silence.end();
    await check(target, bytes, file, total, sha256);
  } catch (error) {
    throw silence.signal.aborted ? silence.signal.reason : error;
  } finally {
    silence.end();
  }
}

/** Asks for what is missing, and for the whole file where the hub does not go on with the part. */
async function ask({ hub, url }: Pick<Transfer, 'hub' | 'url'>, target: string, signal: AbortSignal) {
  const part = await readPart(target, url.href);
  if (part !== undefined) {
    const range = { range: `bytes=${part.bytes}-`, 'if-range': part.etag };
    const answer = await hub.ask(url, range, signal);
    const { status } = answer.response;
    if (status === 206 && goesOn(answer.response, part)) return continued(answer, part);
    if (status !== 206 && status !== 416) return whole(answer);
    await answer.response.body?.cancel();
    await removePart(target);
  }
  return whole(await hub.ask(url, {}, signal));
}

const continued = (answer: HubAnswer, { bytes }: Part): Coming => ({
  ...answer,
  from: bytes,
  total: rangeOf(answer.response)?.total,
});

function whole(answer: HubAnswer): Coming {
  const { headers } = answer.response;
  const length = isEncoded(headers) ? null : headers.get('content-length');
  return { ...answer, from: 0, total: length === null ? undefined : Number(length) };
}

/** Whether an answer has exactly the bytes that are missing. */
function goesOn(response: Response, part: Part): boolean {
  const range = rangeOf(response);
  const etag = response.headers.get('etag') ?? part.etag;
  return (
    range !== undefined && range.from === part.bytes && etag === part.etag && !isEncoded(response.headers)
  );
}

/** The range of an answer that goes to the end of the file. */
function rangeOf({ headers }: Response): { from: number; total: number } | undefined {
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? [];
  return Number(to) + 1 === Number(total) ? { from: Number(from), total: Number(total) } : undefined;
}

/** A body that is packed has another length, and its bytes have other places. */
const isEncoded = (headers: Headers): boolean =>
  !['', 'identity'].includes(headers.get('content-encoding') ?? '');

function noteOf(url: URL, { headers }: Response) {
  const etag = headers.get('etag');
  return isStrongEtag(etag) && !isEncoded(headers) ? { url: url.href, etag } : undefined;
}

/** Ends an answer that is of no use. */
async function refusal(response: Response, error?: Error): Promise<Error> {
  await response.body?.cancel();
  return error ?? new HubRefusal(response);
}

async function check(
  target: string,
  bytes: number,
  file: ModelFile,
  total: number | undefined,
  sha256: string | undefined,
): Promise<void> {
  if (total !== undefined && total !== bytes) throw new Error('it is not as long as announced');
  if (sha256 !== undefined && (await sha256OfPart(target)) !== sha256)
    throw new Error('its SHA-256 is not the one that the hub announced');
  await file.check?.(partPath(target));
}
