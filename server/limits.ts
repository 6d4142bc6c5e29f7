import { ServiceError } from '../core/errors.ts';
import type { Config } from './config.ts';

/** How much one request may hold; see the server's options of the same names. */
export type Limits = Pick<
  Config,
  | 'maxAnswerBytes'
  | 'maxDocuments'
  | 'maxCharacters'
  | 'maxChunks'
  | 'maxDelimiters'
  | 'maxDelimiterCharacters'
>;

/**
 * Refuses more or longer texts than a request may hold.
 *
 * @throws ServiceError `invalid_parameters` with the number that was exceeded
 */
export function checkTexts(text: string | readonly string[], limits: Limits): void {
  const texts = Array.isArray(text) ? (text as readonly string[]) : [text as string];
  atMost('text', 'texts', texts.length, limits.maxDocuments, '--max-documents');
  texts.forEach(({ length }, index) => {
    const place = Array.isArray(text) ? `text[${index}]` : 'text';
    atMost(place, 'characters', length, limits.maxCharacters, '--max-characters');
  });
}

/**
 * Refuses more chunks, or lists of them, than a request may hold.
 *
 * @throws ServiceError `invalid_parameters` with the number that was exceeded
 */
export function checkChunks(lists: readonly (readonly unknown[])[], limits: Limits): void {
  atMost('chunks', 'lists', lists.length, limits.maxDocuments, '--max-documents');
  const count = lists.reduce((sum, list) => sum + list.length, 0);
  atMost('chunks', 'chunks', count, limits.maxChunks, '--max-chunks');
}

/**
 * Refuses options with more or longer texts in a list, such as delimiters, than a request may hold.
 *
 * @param place such as `steps[1].config.`, or empty
 * @throws ServiceError `invalid_parameters` with the number that was exceeded
 */
export function checkOptions(options: Readonly<Record<string, unknown>>, limits: Limits, place = ''): void {
  for (const [name, value] of Object.entries(options)) {
    if (!Array.isArray(value)) continue;
    atMost(place + name, 'entries', value.length, limits.maxDelimiters, '--max-delimiters');
    value.forEach((entry, index) => {
      const { length } = String(entry);
      const where = `${place}${name}[${index}]`;
      atMost(where, 'characters', length, limits.maxDelimiterCharacters, '--max-delimiter-characters');
    });
  }
}

function atMost(place: string, unit: string, count: number, limit: number, flag: string): void {
  if (count <= limit) return;
  const problems = `${place}: ${count} ${unit}, over the limit of ${limit}; send fewer, or raise ${flag}.`;
  throw new ServiceError('invalid_parameters', { problems });
}
