// `rawJSON` is in ECMAScript 2026, but not yet in TypeScript's types.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };
type Reviver = (key: string, value: unknown, context: { readonly source: string }) => unknown;

/** Length of numbers, in digits and points, from which a double may change them: a double keeps 15 digits. */
const LONG = 16;
/** Numbers with fewer digits than `LONG` that a double may change: those with an exponent, and -0. */
const MAY_CHANGE = /(?<=(?:^|[[:,])\s*-?[\d.]+)[eE]|(?:^|[[:,])\s*-0(?:\.0*)?(?![.\d])/;

/**
 * Parses JSON such that `JSON.stringify` writes the same numbers again. A number that a double would change, such as
 * 1e400 or 12345678901234567890, becomes a `JSON.rawJSON` object.
 *
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  const mayChange = hasLongNumber(text) || MAY_CHANGE.test(text);
  return mayChange ? JSON.parse(text, keepNumber as Parameters<typeof JSON.parse>[1]) : JSON.parse(text);
}

/** Whether a text may have a long number. Reads only every 16th character, because a long number covers one. */
function hasLongNumber(text: string): boolean {
  for (let at = 0; at < text.length; at += LONG) {
    let from = at;
    let to = at;
    while (isDigit(text.charCodeAt(to))) to++;
    while (to > at && isDigit(text.charCodeAt(from - 1))) from--;
    if (to - from >= LONG) return true;
  }
  return false;
}

const POINT = 0x2e;
const isDigit = (code: number): boolean => (code >= 0x30 && code <= 0x39) || code === POINT;

const keepNumber: Reviver = (_, value, { source }) =>
  typeof value === 'number' && decimalOf(source) !== decimalOf(String(value)) ? rawJSON(source) : value;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** A JSON number in canonical form; undefined if the text is not a JSON number, such as `Infinity`. */
export function decimalOf(number: string): string | undefined {
  const parts = NUMBER.exec(number);
  if (parts === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return significant === '' ? `${sign}0` : `${sign}${significant}e${power}`;
}
