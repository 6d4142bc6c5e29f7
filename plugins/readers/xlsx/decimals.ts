/** A decimal number without its sign: the digits `12345` with `point` 3 are 123.45. No digits are zero. */
export interface Decimal {
  readonly digits: string;
  /** How many digits precede the point. It may be negative, or more than there are. */
  readonly point: number;
}

/** Significant digits of Excel. Later ones are errors of binary fractions. */
const DIGITS = 15;
const INTEGER = /^-?0*(\d{1,40})$/;

/** @param written a finite number, as in XML */
export function decimalOf(written: string): Decimal {
  const integer = INTEGER.exec(written)?.[1];
  if (integer !== undefined) return trimmed(integer, integer.length);
  const [mantissa = '', exponent = '0'] = Math.abs(Number(written))
    .toExponential(DIGITS - 1)
    .split('e');
  return trimmed(mantissa.replace('.', ''), Number(exponent) + 1);
}

export function generalText(written: string): string {
  return /^-?\d+$/.test(written) ? written : String(Number(Number(written).toPrecision(DIGITS)));
}

export const shifted = ({ digits, point }: Decimal, by: number): Decimal => ({ digits, point: point + by });

/** Rounds half away from zero, as Excel does. */
export function rounded({ digits, point }: Decimal, decimals: number): Decimal {
  const kept = point + decimals;
  if (kept >= digits.length) return { digits, point };
  if (kept < 0) return { digits: '', point: 0 };
  const head = digits.slice(0, kept);
  if ((digits[kept] as string) < '5') return trimmed(head, point);
  const next = String(BigInt(`0${head}`) + 1n).padStart(kept, '0');
  return trimmed(next, point + next.length - kept);
}

/** The digits before and after the point, without the zeros at both ends. */
export function partsOf({ digits, point }: Decimal): readonly [whole: string, fraction: string] {
  if (point <= 0) return ['', '0'.repeat(digits === '' ? 0 : -point) + digits];
  return [digits.slice(0, point).padEnd(digits === '' ? 0 : point, '0'), digits.slice(point)];
}

function trimmed(digits: string, point: number): Decimal {
  const zeros = /^0*/.exec(digits)?.[0].length ?? 0;
  const rest = digits.slice(zeros).replace(/0+$/, '');
  return rest === '' ? { digits: '', point: 0 } : { digits: rest, point: point - zeros };
}

/** The best fraction for a number from 0 to 1 with a denominator of at most `most`. */
export function fractionOf(value: number, most: number): readonly [numerator: number, denominator: number] {
  let [before, last] = [0, 1];
  let [under, denominator] = [1, 0];
  for (let rest = value; ; ) {
    const whole = Math.floor(rest);
    const next = under + whole * denominator;
    if (next > most) break;
    [before, last] = [last, before + whole * last];
    [under, denominator] = [denominator, next];
    if (rest - whole < SMALLEST) return [last, denominator];
    rest = 1 / (rest - whole);
  }
  const steps = Math.floor((most - under) / denominator);
  const other = [before + steps * last, under + steps * denominator] as const;
  const isNearer = Math.abs(other[0] / other[1] - value) < Math.abs(last / denominator - value);
  return isNearer ? other : [last, denominator];
}

const SMALLEST = 1e-9;
