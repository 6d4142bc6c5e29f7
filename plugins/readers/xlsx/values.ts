import { generalText } from './decimals.ts';
import { compileFormat, type NumberFormat } from './format.ts';

/** How the values of cells are written. Dates are written in ISO 8601, whatever order their format has. */
export type CellFormat =
  | { readonly kind: 'date' | 'duration'; readonly words: string }
  | { readonly kind: 'number'; readonly format: NumberFormat | undefined };

/**
 * Built-in formats, of which a file does not contain the codes (ECMA-376, part 1, 18.8.30). Those of money are
 * written without a currency, because it is that of the reader's country.
 */
const BUILT_IN: ReadonlyMap<number, string> = new Map([
  [1, '0'],
  [2, '0.00'],
  [3, '#,##0'],
  [4, '#,##0.00'],
  ...[5, 6, 37, 38, 41, 42].map((id) => [id, '#,##0;(#,##0)'] as const),
  ...[7, 8, 39, 40, 43, 44].map((id) => [id, '#,##0.00;(#,##0.00)'] as const),
  [9, '0%'],
  [10, '0.00%'],
  [11, '0.00E+00'],
  [12, '# ?/?'],
  [13, '# ??/??'],
  [48, '##0.0E+0'],
]);
const BUILT_IN_DATES: readonly (readonly [from: number, to: number])[] = [
  [14, 22],
  [27, 36],
  [45, 45],
  [47, 47],
  [50, 58],
  [71, 81],
];
const ELAPSED = 46;
const GENERAL = /^general$/i;

export const UNFORMATTED: CellFormat = { kind: 'number', format: undefined };

/** @param code the file's format, such as `yyyy\-mm\-dd`; undefined for a built-in format */
export function formatOf(id: number, code: string | undefined): CellFormat {
  if (code === undefined) {
    if (id === ELAPSED) return { kind: 'duration', words: '' };
    if (BUILT_IN_DATES.some(([from, to]) => id >= from && id <= to)) return { kind: 'date', words: '' };
    const known = BUILT_IN.get(id);
    return known === undefined ? UNFORMATTED : { kind: 'number', format: compileFormat(known) };
  }
  const [positive = ''] = code.replace(LITERALS, '').split(';');
  if (/\[(h+|m+|s+)\]/i.test(positive)) return { kind: 'duration', words: '' };
  const signs = positive.replace(/\[[^\][]*\]|general/gi, '').replace(/e[+-]/gi, '');
  if (/[ymdhs]/i.test(signs)) return { kind: 'date', words: WORDS.exec(code)?.[1] ?? '' };
  return GENERAL.test(code) ? UNFORMATTED : { kind: 'number', format: compileFormat(code) };
}

const LITERALS = /"[^"]*"?|\\.|_.|\*./g;
/** Words in front of a date: `"Due "d mmm`. Those between its parts, such as the signs for years and days, are not kept. */
const WORDS = /^(?:\[[^\]]*\])*"([^"]*[a-z]{2,}[^"]*)"/i;

/** @param written a number, as in XML */
export function numberText(written: string, format: CellFormat, from1904: boolean): string {
  const value = Number(written);
  if (!Number.isFinite(value)) return written;
  if (format.kind === 'number') return format.format?.number(written) ?? generalText(written);
  if (format.kind === 'duration')
    return `${value < 0 ? '-' : ''}${timeText(Math.round(Math.abs(value) * DAY))}`;
  const date = dateText(value, from1904);
  return date === undefined ? generalText(written) : format.words + date;
}

const DAY = 86_400_000;
/** Days between 1900 and 1904, the two years from which workbooks count days. */
const DAYS_TO_1904 = 1462;
/** Excel's number of 29 February 1900, a day that did not exist. */
const LEAP_DAY_OF_1900 = 60;
const LAST_DAY = 2_958_465;

function dateText(value: number, from1904: boolean): string | undefined {
  const time = Math.round(value * DAY);
  const days = Math.floor(time / DAY);
  if (time < 0 || days > LAST_DAY) return;
  if (days === 0) return timeText(time);
  const since1900 = days + (from1904 ? DAYS_TO_1904 : 0);
  const clock = time % DAY === 0 ? '' : ` ${timeText(time % DAY)}`;
  if (since1900 === LEAP_DAY_OF_1900) return `1900-02-29${clock}`;
  return `${dayText(since1900)}${clock}`;
}

/** The texts of days that were written last: a column of dates repeats them. */
const DAYS: (readonly [day: number, text: string] | undefined)[] = new Array(512).fill(undefined);

function dayText(since1900: number): string {
  const known = DAYS[since1900 % DAYS.length];
  if (known?.[0] === since1900) return known[1];
  const first = Date.UTC(1899, 11, since1900 < LEAP_DAY_OF_1900 ? 31 : 30);
  const text = new Date(first + since1900 * DAY).toISOString().slice(0, 'yyyy-mm-dd'.length);
  DAYS[since1900 % DAYS.length] = [since1900, text];
  return text;
}

function timeText(time: number): string {
  const parts = [Math.floor(time / 3_600_000), Math.floor(time / 60_000) % 60, Math.floor(time / 1000) % 60];
  const clock = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return time % 1000 === 0 ? clock : `${clock}.${String(time % 1000).padStart(3, '0')}`;
}
