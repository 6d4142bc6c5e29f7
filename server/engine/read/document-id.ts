import { invalid } from '../../../core/errors.ts';
import { findMembers, type JsonPlace } from './json.ts';

/** The JSON of a number with all its digits, limited to the length of an id. */
const WHOLE = /^-?\d{1,511}$/;

/** The id at a position in unparsed JSON; undefined if it is not one. */
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

/** Whether the JSON of a number is an id: 7 and "7" are the same one, but 7.0 and 7e0 are not ids. */
export function isWholeNumber(json: string): boolean {
  return WHOLE.test(json);
}

/**
 * The id of an object in a request: for a whole number the digits that were sent, since a double does not keep all of
 * them.
 *
 * @param id as parsed
 * @param at where the object begins in the body
 * @returns undefined if it has none, or one that is neither a text nor a whole number
 */
export function findId(id: unknown, body: Buffer, at: number): string | undefined {
  if (typeof id !== 'number') return typeof id === 'string' ? id : undefined;
  const json = idJson(body, at);
  return isWholeNumber(json) ? json : undefined;
}

/**
 * The same for an id that was checked against its schema, which cannot tell 1000 from 1e3.
 *
 * @param place put before the name of the member in the error
 * @throws ServiceError `invalid_parameters`
 */
export function readId(id: string | number | undefined, body: Buffer, at: number, place: string) {
  const found = findId(id, body, at);
  if (found !== undefined || id === undefined) return found;
  const given = idJson(body, at).slice(0, 60);
  throw invalid(`${place}id: expected a string, or an integer with all its digits, got ${given}`);
}

function idJson(body: Buffer, at: number): string {
  const [place] = findMembers(body, at, ['id']) as readonly [JsonPlace];
  return body.toString('latin1', place.from, place.to);
}
