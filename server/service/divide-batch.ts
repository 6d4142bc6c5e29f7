import { findElements, findMembers, type JsonPlace } from '../wire/json-places.ts';
import type { Answer } from './answer.ts';
import type { StagesRequest } from './plan.ts';
import { Timer } from './timings.ts';

/** A batch that was read, to be worked on in parts. */
export interface DividedRequest {
  readonly run: 'divide';
  /** The bodies of requests that together ask for the same: each has some of the inputs, and all the options. */
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
  /** Seconds that it took to read the batch. */
  readonly parseSeconds: number;
}

/**
 * Divides a batch into parts of about as many bytes each, in the order of its inputs.
 *
 * @param request what was read from the body
 * @param most how many parts
 * @returns the bodies of the parts; undefined if there would be only one
 */
export function divideBatch(
  body: Buffer,
  { isBatch }: Pick<StagesRequest, 'isBatch'>,
  most: number,
): Uint8Array<ArrayBuffer>[] | undefined {
  if (!isBatch) return undefined;
  const inputs = findElements(body, inputsOf(body).from);
  const groups = groupEvenly(inputs, most);
  const [first, last] = [inputs[0], inputs.at(-1)];
  if (first === undefined || last === undefined || groups.length < 2) return undefined;
  return groups.map(({ from, to }) =>
    joined([body.subarray(0, first.from), body.subarray(from, to), body.subarray(last.to)]),
  );
}

/** Where the inputs of a batch stand: a list of texts, of documents, or of lists of chunks. */
function inputsOf(body: Buffer): JsonPlace {
  const [text, documents, chunks] = findMembers(body, 0, ['text', 'documents', 'chunks']);
  return (documents ?? chunks ?? text) as JsonPlace;
}

/** Stretches of neighbours, each of about as many bytes. */
function groupEvenly(places: readonly JsonPlace[], most: number): JsonPlace[] {
  const bytes = (places.at(-1)?.to ?? 0) - (places[0]?.from ?? 0);
  const groups: JsonPlace[] = [];
  let from: number | undefined;
  for (const place of places) {
    from ??= place.from;
    if (place.to - from < bytes / most && place !== places.at(-1)) continue;
    groups.push({ from, to: place.to });
    from = undefined;
  }
  return groups;
}

/** The bytes one after the other, in memory of their own, so that they can be moved to another thread. */
function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export function runDivided({ parts, parseSeconds }: DividedRequest): Answer {
  const timings = new Timer(parseSeconds).summary(0, 0, 0);
  return { bytes: new Uint8Array(0), reported: [], timings, parts };
}
