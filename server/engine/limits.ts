import { invalid } from '../../core/errors.ts';
import type { Config } from '../config/config.ts';
import { flagName } from '../config/option.ts';
import { problemsIn } from './validation/refusals.ts';

/** Limits of one request; the server's options have the same names. */
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
 * Returns the texts of a request as a list.
 *
 * @throws ServiceError `invalid_parameters` if there are too many or they are too long
 */
export function listTexts(text: string | readonly string[], limits: Limits): readonly string[] {
  const texts = typeof text === 'string' ? [text] : text;
  atMost(limits, 'maxDocuments', { place: 'text', unit: 'texts', count: texts.length });
  texts.forEach((one, index) => {
    checkLength(one, texts === text ? `text[${index}]` : 'text', limits);
  });
  return texts;
}

/** Refuses more or longer documents than a request may contain. @throws ServiceError `invalid_parameters` */
export function checkDocuments(documents: readonly { readonly text: string }[], limits: Limits): void {
  atMost(limits, 'maxDocuments', { place: 'documents', unit: 'documents', count: documents.length });
  documents.forEach(({ text }, index) => {
    checkLength(text, `documents[${index}].text`, limits);
  });
}

/** Refuses a text that is too long for a request. @throws ServiceError `invalid_parameters` */
export function checkLength({ length }: string, place: string, limits: Limits): void {
  atMost(limits, 'maxCharacters', { place, unit: 'characters', count: length });
}

/**
 * Refuses a document's metadata if it is too large to be repeated in each chunk.
 *
 * @param metadata JSON
 * @throws ServiceError `invalid_parameters` with the actual number
 */
export function checkMetadata(metadata: Uint8Array | undefined, place: string, limits: Limits): void {
  atMost(limits, 'maxMetadataBytes', { place, unit: 'bytes', count: metadata?.length ?? 0 });
}

/**
 * Refuses more chunks, or lists of them, than a request may contain. @throws ServiceError `invalid_parameters`
 */
export function checkChunks(lists: readonly (readonly unknown[])[], limits: Limits): void {
  atMost(limits, 'maxDocuments', { place: 'chunks', unit: 'lists', count: lists.length });
  const count = lists.reduce((sum, list) => sum + list.length, 0);
  atMost(limits, 'maxChunks', { place: 'chunks', unit: 'chunks', count });
}

/**
 * The problem with an option that has too many or too long entries, such as delimiters. Its message names the
 * server's limit, so call it before the schema check.
 *
 * @param place such as `steps[1].config.delim`
 */
export function optionOverLimit(value: unknown, place: string, limits: Limits): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) {
    for (const [name, member] of Object.entries(value)) {
      const problem = optionOverLimit(member, `${place}.${name}`, limits);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  const tooMany = overLimit(limits, 'maxDelimiters', { place, unit: 'entries', count: value.length });
  if (tooMany !== undefined) return tooMany;
  for (const [index, entry] of value.entries()) {
    const at = `${place}[${index}]`;
    const problem =
      typeof entry === 'string'
        ? overLimit(limits, 'maxDelimiterCharacters', { place: at, unit: 'characters', count: entry.length })
        : optionOverLimit(entry, at, limits);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The exceeded limits of a refused request's inputs. Inputs of a wrong type have other problems. */
export function inputsOverLimits(request: unknown, limits: Limits): string[] {
  const { text, documents, chunks } = (request ?? {}) as Readonly<Record<string, unknown>>;
  const lists = Array.isArray(chunks) ? chunks.filter(Array.isArray) : [];
  return [
    ...(areTexts(text) ? problemsIn(() => listTexts(text, limits)) : []),
    ...(areDocuments(documents) ? problemsIn(() => checkDocuments(documents, limits)) : []),
    ...(Array.isArray(chunks)
      ? problemsIn(() => checkChunks(lists.length > 0 ? lists : [chunks], limits))
      : []),
  ];
}

function areTexts(text: unknown): text is string | readonly string[] {
  return typeof text === 'string' || (Array.isArray(text) && text.every((one) => typeof one === 'string'));
}

function areDocuments(given: unknown): given is readonly { readonly text: string }[] {
  return Array.isArray(given) && given.every((one) => typeof Object(one).text === 'string');
}

/** @param place of the list in the request @throws ServiceError `invalid_parameters` if there are too many */
export function checkPlaceCount(
  places: readonly unknown[] | undefined,
  place: string,
  limits: Pick<Limits, 'maxPlaces'>,
): void {
  atMost(limits, 'maxPlaces', { place, unit: 'places', count: places?.length ?? 0 });
}

interface Counted {
  readonly place: string;
  readonly unit: string;
  readonly count: number;
  readonly fewer?: string;
}

/**
 * Refuses more of anything than a request may contain.
 *
 * @param name of the limit
 * @throws ServiceError `invalid_parameters` with the actual number
 */
export function atMost<Name extends keyof Limits>(
  limits: Pick<Limits, Name>,
  name: Name,
  counted: Counted,
): void {
  const problem = overLimit(limits, name, counted);
  if (problem !== undefined) throw invalid(problem);
}

function overLimit<Name extends keyof Limits>(
  limits: Pick<Limits, Name>,
  name: Name,
  { place, unit, count, fewer = 'fewer' }: Counted,
): string | undefined {
  const limit: number = limits[name];
  if (count <= limit) return undefined;
  return `${place}: ${count} ${unit}, over the limit of ${limit}; send ${fewer}, or raise ${flagName(name)}`;
}
