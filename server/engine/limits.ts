import { invalid } from '../../core/errors.ts';
import type { Config } from '../config/config.ts';
import { flagName } from '../config/option.ts';
import { problemsIn } from './validation/refusals.ts';

/** How much one request may contain; see the server's options of the same names. */
export type Limits = Pick<
  Config,
  'maxAnswerBytes' | 'maxDocuments' | 'maxCharacters' | 'maxChunks' | 'maxEvaluationCharacters'
>;

/** Maximum steps of a pipeline. */
export const MAX_STEPS = 100;
/** Maximum bytes of the metadata of a document, which each of its chunks gets a copy of. */
const MAX_METADATA_BYTES = 16_384;
/** Maximum places of a document. */
const MAX_PLACES = 200_000;
/** Maximum entries of a list in the options of a request, such as delimiters. */
export const MAX_ENTRIES = 100;
/** Maximum UTF-16 units of such an entry. */
export const MAX_ENTRY_CHARACTERS = 100;

/**
 * The text or the texts of a request, as a list; refuses more or longer ones than a request may contain.
 *
 * @throws ServiceError `invalid_parameters`
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
 * Refuses metadata of a document that is larger than each of its chunks may carry.
 *
 * @param metadata JSON
 * @throws ServiceError `invalid_parameters` with the exceeded number
 */
export function checkMetadata(metadata: Uint8Array | undefined, place: string): void {
  refuseAbove(MAX_METADATA_BYTES, { place, unit: 'bytes', count: metadata?.length ?? 0 });
}

/** Refuses more chunks, or lists of them, than a request may contain. @throws ServiceError `invalid_parameters` */
export function checkChunks(lists: readonly (readonly unknown[])[], limits: Limits): void {
  atMost(limits, 'maxDocuments', { place: 'chunks', unit: 'lists', count: lists.length });
  const count = lists.reduce((sum, list) => sum + list.length, 0);
  atMost(limits, 'maxChunks', { place: 'chunks', unit: 'chunks', count });
}

/**
 * The problem with an option that has too many or too long entries, such as delimiters. Look for it before the types are
 * checked, because its message has the number of entries.
 *
 * @param place such as `steps[1].config.delim`
 */
export function optionOverLimit(value: unknown, place: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) {
    for (const [name, member] of Object.entries(value)) {
      const problem = optionOverLimit(member, `${place}.${name}`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  if (value.length > MAX_ENTRIES)
    return overLimit(MAX_ENTRIES, { place, unit: 'entries', count: value.length });
  for (const [index, entry] of value.entries()) {
    const at = `${place}[${index}]`;
    const problem = typeof entry === 'string' ? tooLong(entry, at) : optionOverLimit(entry, at);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function tooLong({ length }: string, place: string): string | undefined {
  if (length <= MAX_ENTRY_CHARACTERS) return undefined;
  return overLimit(MAX_ENTRY_CHARACTERS, { place, unit: 'characters', count: length });
}

/**
 * What of the inputs of a request is over a limit, for a request that is refused anyway. Inputs of another shape are
 * refused for that.
 */
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

/** @param place of the list in what was sent @throws ServiceError `invalid_parameters` for more than a document may have */
export function checkPlaceCount(places: readonly unknown[] | undefined, place: string): void {
  refuseAbove(MAX_PLACES, { place, unit: 'places', count: places?.length ?? 0 });
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
 * @throws ServiceError `invalid_parameters` with the exceeded number
 */
export function atMost<Name extends keyof Limits>(
  limits: Pick<Limits, Name>,
  name: Name,
  counted: Counted,
): void {
  if (counted.count > limits[name])
    throw invalid(`${overLimit(limits[name], counted)}, or raise ${flagName(name)}`);
}

/** Refuses more than a limit that no option changes. @throws ServiceError `invalid_parameters` */
export function refuseAbove(limit: number, counted: Counted): void {
  if (counted.count > limit) throw invalid(overLimit(limit, counted));
}

function overLimit(limit: number, { place, unit, count, fewer = 'fewer' }: Counted): string {
  return `${place}: ${count} ${unit}, over the limit of ${limit}; send ${fewer}`;
}
