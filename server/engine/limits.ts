import { invalid } from '../../core/errors.ts';
import type { Config } from '../config/config.ts';
import { flagName } from '../config/option.ts';
import { problemsIn } from './validation/refusals.ts';

/** How much one request may contain; see the server's options of the same names. */
export type Limits = Pick<
  Config,
  'maxAnswerBytes' | 'maxDocuments' | 'maxCharacters' | 'maxChunks' | 'maxEvaluationCharacters'
>;

export const MAX_STEPS = 100;
/** Maximum bytes of a document's metadata. Each chunk of the document gets a copy of the metadata. */
const MAX_METADATA_BYTES = 16_384;
/** Maximum places of a document. */
const MAX_PLACES = 200_000;
/** Maximum entries of a list in the options of a request, such as delimiters. */
export const MAX_ENTRIES = 100;
/** Maximum UTF-16 units of an entry of a list in the options. */
export const MAX_ENTRY_CHARACTERS = 100;

/**
 * Returns the text or texts of a request as a list. Refuses texts that are too many or too long for a request.
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

/** Refuses documents that are too many or too long for a request. @throws ServiceError `invalid_parameters` */
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
 * Refuses metadata that is too large for a document, because each chunk gets a copy.
 *
 * @param metadata JSON
 * @throws ServiceError `invalid_parameters` with the size and the limit
 */
export function checkMetadata(metadata: Uint8Array | undefined, place: string): void {
  refuseAbove(MAX_METADATA_BYTES, { place, unit: 'bytes', count: metadata?.length ?? 0 });
}

/** Refuses chunks, or lists of chunks, that are too many for a request. @throws ServiceError `invalid_parameters` */
export function checkChunks(lists: readonly (readonly unknown[])[], limits: Limits): void {
  atMost(limits, 'maxDocuments', { place: 'chunks', unit: 'lists', count: lists.length });
  const count = lists.reduce((sum, list) => sum + list.length, 0);
  atMost(limits, 'maxChunks', { place: 'chunks', unit: 'chunks', count });
}

/**
 * The problem with an option that has too many or too long entries, such as delimiters. Call this function before
 * the check of the schema, whose message lacks the number of entries.
 *
 * @param place name of the option in the message, such as `steps[1].config.delim`
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
 * The problems of inputs that exceed limits, for a request that is already refused. Inputs of the wrong type are
 * skipped, because the schema refuses them.
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

/** @param place of the list in the request or file @throws ServiceError `invalid_parameters` for too many places */
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
 * Refuses a count above a limit that an option of the server sets.
 *
 * @param name of the limit and of its option
 * @throws ServiceError `invalid_parameters` with the count, the limit and the option
 */
export function atMost<Name extends keyof Limits>(
  limits: Pick<Limits, Name>,
  name: Name,
  counted: Counted,
): void {
  if (counted.count > limits[name])
    throw invalid(`${overLimit(limits[name], counted)}, or raise ${flagName(name)}`);
}

/** Refuses a count above a limit that no option changes. @throws ServiceError `invalid_parameters` */
export function refuseAbove(limit: number, counted: Counted): void {
  if (counted.count > limit) throw invalid(overLimit(limit, counted));
}

function overLimit(limit: number, { place, unit, count, fewer = 'fewer' }: Counted): string {
  return `${place}: ${count} ${unit}, over the limit of ${limit}; send ${fewer}`;
}
