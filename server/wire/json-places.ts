const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const OPEN_LIST = 0x5b;

/**
 * Finds values in JSON by its bytes. Of what is no valid JSON the places mean nothing, but they are in the body, and finding
 * them comes to an end.
 */

/** Where a value stands in a JSON text: the bytes `[from, to)`. */
export interface JsonPlace {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds members of an object by their names. If a member is repeated, the last one counts, as in `JSON.parse`.
 *
 * @param body JSON
 * @param start where the object begins, or white space before it
 * @returns the places of their values, in the order of the names; `undefined` for those that are missing
 */
export function findMembers(
  body: Buffer,
  start: number,
  names: readonly string[],
): readonly (JsonPlace | undefined)[] {
  const found = new Array<JsonPlace | undefined>(names.length).fill(undefined);
  let at = skipSpace(body, skipSpace(body, start) + 1);
  while (body[at] === QUOTE) {
    const keyEnd = stringEnd(body, at);
    const from = skipSpace(body, skipSpace(body, keyEnd) + 1);
    const to = skipValue(body, from);
    const index = names.indexOf(nameAt(body, at, keyEnd));
    if (index !== -1) found[index] = { from, to };
    at = skipSpace(body, skipSpace(body, to) + 1);
  }
  return found;
}

/**
 * Finds the elements of a list.
 *
 * @param body JSON
 * @param start where the list begins, or white space before it
 */
export function findElements(body: Buffer, start: number): JsonPlace[] {
  const places: JsonPlace[] = [];
  let from = skipSpace(body, skipSpace(body, start) + 1);
  while (from < body.length && body[from] !== CLOSE_LIST) {
    const to = skipValue(body, from);
    places.push({ from, to });
    const next = skipSpace(body, to);
    from = body[next] === CLOSE_LIST ? next : skipSpace(body, next + 1);
  }
  return places;
}

const CLOSE_LIST = 0x5d;

function nameAt(body: Buffer, from: number, to: number): string {
  const name = body.toString('latin1', from + 1, to - 1);
  return name.includes('\\') ? (JSON.parse(body.toString('utf8', from, to)) as string) : name;
}

/** Index after the closing quote of the string that opens at `at`. */
function stringEnd(body: Buffer, at: number): number {
  let quote = body.indexOf(QUOTE, at + 1);
  while (isEscaped(body, quote)) quote = body.indexOf(QUOTE, quote + 1);
  return quote === -1 ? body.length : quote + 1;
}

function isEscaped(body: Buffer, at: number): boolean {
  let before = at;
  while (body[before - 1] === BACKSLASH) before--;
  return (at - before) % 2 === 1;
}

function skipValue(body: Buffer, start: number): number {
  if (body[start] === QUOTE) return stringEnd(body, start);
  if (body[start] === OPEN_OBJECT || body[start] === OPEN_LIST) return skipNested(body, start);
  let at = start;
  while (!isDelimiter(body[at])) at++;
  return at;
}

function skipNested(body: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const byte = body[at];
    if (byte === QUOTE) {
      at = stringEnd(body, at);
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if (byte === 0x7d || byte === 0x5d) depth--;
    at++;
  } while (depth > 0 && at < body.length);
  return at;
}

/** Whether a byte ends a number or a keyword. */
function isDelimiter(byte: number | undefined): boolean {
  return byte === undefined || byte === 0x2c || byte === 0x7d || byte === 0x5d || byte <= 0x20;
}

function skipSpace(body: Buffer, start: number): number {
  let at = start;
  while (at < body.length && (body[at] as number) <= 0x20) at++;
  return at;
}
