import { LINES } from '../streams/media.ts';
import type { Operation } from './document.ts';

/** Gives a route that takes streams the example request of its JSON, and the answer to that, as streams. */
export function addStreamExample(
  { requestBody, responses }: Operation,
  request: object,
  answer: unknown,
): void {
  const response = responses['200'];
  const sent = requestBody?.content[LINES];
  if (sent === undefined || response === undefined || '$ref' in response) return;
  const answered = response.content?.[LINES];
  if (answered === undefined) return;
  sent.example = linesOf(streamed(request));
  const lists = isBatch(answer) ? answer : [answer];
  answered.example = linesOf(lists.map((chunks, index) => ({ index, chunks })));
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
