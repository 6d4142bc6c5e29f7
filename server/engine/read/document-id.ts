import { invalid } from '../../../core/errors.ts';
import { findMembers, type JsonPlace } from './json.ts';

/** JSON of a number with all its digits, no more of them than an id has characters. */
const WHOLE = /^-?\d{1,511}$/;

/** The id at a place in JSON that was not parsed; undefined if it is none. */
export function idAt(body: Buffer, { from, to }: JsonPlace): string | undefined {
  const json = body.toString('utf8', from, to);
  if (isWholeNumber(json)) return json;
  try {
    const id: unknown = JSON.parse(json);
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the JSON of a number is an id: 7 and "7" are the same one, but 7.0 and 7e0 are none. */
export function isWholeNumber(json: string): boolean {
  return WHOLE.test(json);
}

/**
 * The id of an object in a request: of a whole number its digits as they were sent, since a double does not keep all of them.
 *
 * @param id as it was parsed
 * @param at where the object begins in the body
 * @returns undefined if it has none, or one that is neither text nor whole number
 */
export function findId(id: unknown, body: Buffer, at: number): string | undefined {
  if (typeof id !== 'number') return typeof id === 'string' ? id : undefined;
  const json = idJson(body, at);
  return isWholeNumber(json) ? json : undefined;
}

/**
 * The same of an id that was checked against its schema, which cannot tell 1000 from 1e3.
 *
 * @param place put before the name of the member in the error
 * @throws ServiceError `invalid_parameters`
 */
export function readId(id: string | number | undefined, body: Buffer, at: number, place: string) {
  const found = findId(id, body, at);
  if (found !== undefined || id === undefined) return found;
  const problem = `${place}id: expected a string, or an integer with all its digits, got ${idJson(body, at).slice(0, 60)}`;
  throw invalid(problem);
}

function idJson(body: Buffer, at: number): string {
  const [place] = findMembers(body, at, ['id']) as readonly [JsonPlace];
  return body.toString('latin1', place.from, place.to);
}
