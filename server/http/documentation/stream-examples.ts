import { LINES } from '../streams/media.ts';
import type { Operation } from './document.ts';

/** Gives a route that takes streams the example request of its JSON as a stream. */
export function addStreamRequest({ requestBody }: Operation): void {
  const request = requestBody?.content['application/json']?.example;
  const sent = requestBody?.content[LINES];
  if (sent === undefined || typeof request !== 'object' || request === null) return;
  sent.example = linesOf(streamed(request));
}

/** Gives a route that takes streams the answer to its example request as a stream. */
export function addStreamAnswer({ responses }: Operation, answer: unknown): void {
  const response = responses['200'];
  if (response === undefined || '$ref' in response) return;
  const answered = response.content?.[LINES];
  if (answered === undefined) return;
  answered.example = linesOf(answeredLines(answer));
}

/** The lines of an answer: one for each list of chunks, or for each candidate of an evaluation. */
function answeredLines(answer: unknown): readonly unknown[] {
  const { candidates } = answer as { readonly candidates?: readonly unknown[] };
  if (candidates !== undefined) return candidates;
  const lists = isBatch(answer) ? answer : [answer];
  return lists.map((chunks, index) => ({ index, chunks }));
}

/** The lines of a request: its options, and each of its inputs. */
function streamed(request: object): unknown[] {
  const { text, documents, chunks, ...options } = request as Readonly<Record<string, unknown>>;
  if (chunks !== undefined) return [options, ...(isBatch(chunks) ? chunks : [chunks])];
  if (Array.isArray(documents)) return [options, ...documents];
  // What a request with a text is answered, without the fields that documents have besides.
  const plain = 'include' in options ? options : { ...options, include: [] };
  return [plain, ...(Array.isArray(text) ? text : [text]).map((one) => ({ text: one }))];
}

function isBatch(list: unknown): list is readonly unknown[][] {
  return Array.isArray(list) && list.length > 0 && list.every(Array.isArray);
}

function linesOf(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
