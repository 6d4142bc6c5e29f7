/** How the numbers of a cell are meant, as far as it changes their text. */
export type NumberKind = 'number' | 'percentage' | 'date' | 'duration';

/** Formats without a code in the file (ECMA-376, part 1, 18.8.30), with the dates of East Asian and Thai versions. */
const BUILT_IN: readonly (readonly [from: number, to: number, kind: NumberKind])[] = [
  [9, 10, 'percentage'],
  [14, 22, 'date'],
  [27, 36, 'date'],
  [45, 45, 'date'],
  [46, 46, 'duration'],
  [47, 47, 'date'],
  [50, 58, 'date'],
  [71, 81, 'date'],
];
/** Literal text, padding and fill in a format. */
const LITERALS = /"[^"]*"?|\\.|_.|\*./g;

/** @param code of a format that the file defines, such as `yyyy\-mm\-dd` */
export function kindOfFormat(id: number, code: string | undefined): NumberKind {
  if (code === undefined) return BUILT_IN.find(([from, to]) => id >= from && id <= to)?.[2] ?? 'number';
  const [positive = ''] = code.replace(LITERALS, '').split(';');
  if (/\[(h+|m+|s+)\]/i.test(positive)) return 'duration';
  const signs = positive.replace(/\[[^\][]*\]|general/gi, '');
  if (/[ymdhs]/i.test(signs)) return 'date';
  return signs.includes('%') ? 'percentage' : 'number';
}

const DAY = 86_400_000;
/** Days from the beginning of 1900 to that of 1904, from which some workbooks count. */
const DAYS_TO_1904 = 1462;
/** Before that day, dates are counted as if there were a 29 February 1900. */
const DAY_OF_1900_THAT_NEVER_WAS = 60;
const LAST_DAY = 2_958_465;
/** Digits that Excel calculates with: the others are errors of binary fractions. */
const DIGITS = 15;

/** The text of a number as it is written in the file: dates in the form of ISO 8601, others without their format. */
export function numberText(written: string, kind: NumberKind, from1904: boolean): string {
  const value = Number(written);
  if (!Number.isFinite(value)) return written;
  if (kind === 'percentage') return `${rounded(value * 100)}%`;
  if (kind === 'duration') return `${value < 0 ? '-' : ''}${timeText(Math.round(Math.abs(value) * DAY))}`;
  if (kind === 'date') return dateText(value, from1904) ?? rounded(value);
  return /^-?\d+$/.test(written) ? written : rounded(value);
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(DIGITS)));
}

function dateText(value: number, from1904: boolean): string | undefined {
  const time = Math.round(value * DAY);
  const days = Math.floor(time / DAY);
  if (time < 0 || days > LAST_DAY) return;
  if (days === 0) return timeText(time);
  const since1900 = days + (from1904 ? DAYS_TO_1904 : 0);
  const clock = time % DAY === 0 ? '' : ` ${timeText(time % DAY)}`;
  if (since1900 === DAY_OF_1900_THAT_NEVER_WAS) return `1900-02-29${clock}`;
  const first = Date.UTC(1899, 11, since1900 < DAY_OF_1900_THAT_NEVER_WAS ? 31 : 30);
  return `${new Date(first + since1900 * DAY).toISOString().slice(0, 'yyyy-mm-dd'.length)}${clock}`;
}

/** Hours, minutes and seconds, with milliseconds where there are some. */
function timeText(time: number): string {
  const parts = [Math.floor(time / 3_600_000), Math.floor(time / 60_000) % 60, Math.floor(time / 1000) % 60];
  const clock = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return time % 1000 === 0 ? clock : `${clock}.${String(time % 1000).padStart(3, '0')}`;
}
