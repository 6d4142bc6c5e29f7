import { invalid } from '../../core/errors.ts';
import type { Config } from '../config/config.ts';

/** How much one request may contain; see the server's options of the same names. */
export type Limits = Pick<
  Config,
  | 'maxAnswerBytes'
  | 'maxDocuments'
  | 'maxMetadataBytes'
  | 'maxPlaces'
  | 'maxCharacters'
  | 'maxChunks'
  | 'maxEvaluationCharacters'
  | 'maxSteps'
  | 'maxDelimiters'
  | 'maxDelimiterCharacters'
>;

/**
 * Refuses more or longer texts than a request may contain.
 *
 * @throws ServiceError `invalid_parameters` with the exceeded number
 */
export function checkTexts(text: string | readonly string[], limits: Limits): void {
  const texts = Array.isArray(text) ? (text as readonly string[]) : [text as string];
  atMost({
    place: 'text',
    unit: 'texts',
    count: texts.length,
    limit: limits.maxDocuments,
    flag: '--max-documents',
  });
  texts.forEach((one, index) => {
    checkLength(one, Array.isArray(text) ? `text[${index}]` : 'text', limits);
  });
}

/**
 * Refuses more or longer documents than a request may contain.
 *
 * @throws ServiceError `invalid_parameters` with the number that was exceeded
 */
export function checkDocuments(documents: readonly { readonly text: string }[], limits: Limits): void {
  const amount = { unit: 'documents', count: documents.length, limit: limits.maxDocuments };
  atMost({ place: 'documents', ...amount, flag: '--max-documents' });
  documents.forEach(({ text }, index) => {
    checkLength(text, `documents[${index}].text`, limits);
  });
}

/**
 * Refuses a text that is too long for a request.
 *
 * @throws ServiceError `invalid_parameters` with the exceeded number
 */
export function checkLength({ length }: string, place: string, limits: Limits): void {
  const amount = { unit: 'characters', count: length, limit: limits.maxCharacters };
  atMost({ place, ...amount, flag: '--max-characters' });
}

/**
 * Refuses metadata of a document that is larger than each of its chunks may carry.
 *
 * @param metadata JSON
 * @throws ServiceError `invalid_parameters` with the exceeded number
 */
export function checkMetadata(metadata: Uint8Array | undefined, place: string, limits: Limits): void {
  const amount = { unit: 'bytes', count: metadata?.length ?? 0, limit: limits.maxMetadataBytes };
  atMost({ place, ...amount, flag: '--max-metadata-bytes' });
}

/**
 * Refuses more chunks, or lists of them, than a request may contain.
 *
 * @throws ServiceError `invalid_parameters` with the exceeded number
 */
export function checkChunks(lists: readonly (readonly unknown[])[], limits: Limits): void {
  atMost({
    place: 'chunks',
    unit: 'lists',
    count: lists.length,
    limit: limits.maxDocuments,
    flag: '--max-documents',
  });
  const count = lists.reduce((sum, list) => sum + list.length, 0);
  atMost({ place: 'chunks', unit: 'chunks', count, limit: limits.maxChunks, flag: '--max-chunks' });
}

/**
 * Refuses an option that is a list, such as delimiters, if it has too many or too long entries. Call it before
 * checking the type, because its message names the limit that can be raised.
 *
 * @param place such as `steps[1].config.delim`
 * @throws ServiceError `invalid_parameters` with the exceeded number
 */
export function checkOption(value: unknown, place: string, limits: Limits): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) {
    for (const [name, member] of Object.entries(value)) checkOption(member, `${place}.${name}`, limits);
    return;
  }
  const { maxDelimiters, maxDelimiterCharacters } = limits;
  atMost({ place, unit: 'entries', count: value.length, limit: maxDelimiters, flag: '--max-delimiters' });
  value.forEach((entry, index) => {
    checkOption(entry, `${place}[${index}]`, limits);
    if (typeof entry !== 'string') return;
    const amount = { unit: 'characters', count: entry.length, limit: maxDelimiterCharacters };
    atMost({ place: `${place}[${index}]`, ...amount, flag: '--max-delimiter-characters' });
  });
}

interface Amount {
  readonly place: string;
  readonly unit: string;
  readonly count: number;
  readonly limit: number;
  /** The option of the server that raises the limit. */
  readonly flag: string;
}

/**
 * Refuses more of anything than a request may contain.
 *
 * @throws ServiceError `invalid_parameters` with the exceeded number
 */
export function atMost({ place, unit, count, limit, flag }: Amount): void {
  if (count <= limit) return;
  const problems = [`${place}: ${count} ${unit}, over the limit of ${limit}; send fewer, or raise ${flag}`];
  throw invalid(problems);
}
