/** Writes numbers and vectors as ASCII. Functions with a parameter `at` write from there, and return the new end. */

export const NUMBER_BYTES = 26;

/** Writes `[x,y,...]`. Each number has the fewest digits that identify its single-precision value. */
export function writeVector(vector: Float32Array, out: Uint8Array, at: number): number {
  const view = new DataView(out.buffer, out.byteOffset, out.byteLength);
  let next = at + Number(vector.length === 0);
  for (let from = 0; from < vector.length; from += BLOCK)
    next = writeBlock(vector.subarray(from, from + BLOCK), out, view, next);
  out[at] = 0x5b;
  out[next++] = 0x5d;
  return next;
}

/** Numbers per block. Computing a block's digits and then writing them is faster in two loops than in one. */
const BLOCK = 1024;
const blockDigits = new Int32Array(BLOCK);

function writeBlock(vector: Float32Array, out: Uint8Array, view: DataView, at: number): number {
  const bits = new Int32Array(vector.buffer, vector.byteOffset, vector.length);
  for (let index = 0; index < bits.length; index++)
    blockDigits[index] = findDigits(Math.abs(vector[index] as number), (bits[index] as number) & SIZE);
  let next = at;
  for (let index = 0; index < bits.length; index++) {
    const digits = blockDigits[index] as number;
    if (digits !== UNUSUAL) {
      next = writeDigits(digits, (bits[index] as number) >>> 31, view, next);
      continue;
    }
    out[next] = 0x2c;
    next = writeAnyFloat(vector[index] as number, out, next + 1);
  }
  return next;
}

const MAX_REUSED = 4096;
const reused = Buffer.alloc(MAX_REUSED * NUMBER_BYTES + 2);

/** Like `writeVector`, but returns a string. */
export function vectorJson(vector: Float32Array): string {
  const out = vector.length <= MAX_REUSED ? reused : Buffer.alloc(vector.length * NUMBER_BYTES + 2);
  return out.toString('latin1', 0, writeVector(vector, out, 0));
}

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

export function vectorBase64(vector: Float32Array): string {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return (isLittleEndian ? bytes : Buffer.from(bytes).swap32()).toString('base64');
}

export function vectorOfBase64(base64: string): Float32Array {
  const vector = new Float32Array(Buffer.byteLength(base64, 'base64') >> 2);
  const bytes = Buffer.from(vector.buffer);
  bytes.write(base64, 'base64');
  if (!isLittleEndian) bytes.swap32();
  return vector;
}

/** Numbers from here up to 1 have at most five zeros after the point, then at most nine digits. */
const MIN_DECIMAL = 1e-6;
const POWERS = Float64Array.from({ length: 15 }, (_, power) => 10 ** power);
const MAX_ZEROS = 5;

const FRACTION_BITS = 23;
const BIAS = 127;
const FRACTION = 2 ** FRACTION_BITS - 1;
/** For each exponent of a number below 1: half the distance from the number to the next float. */
const HALF_GAPS = Float64Array.from(
  { length: BIAS },
  (_, exponent) => 2 ** (exponent - BIAS - FRACTION_BITS - 1),
);
/** For each exponent: minimum number of zeros after the decimal point. A number may have one zero more. */
const ZEROS = Int32Array.from({ length: BIAS }, (_, exponent) => -Math.log10(2 ** (exponent - BIAS + 1)));
/** For each exponent: bits of the least number with the minimum number of zeros. */
const MIN_ZEROS_FROM = Int32Array.from(ZEROS, (zeros) => {
  const limit = 10 ** -(zeros + 1);
  const nearest = Float32Array.of(limit);
  return (new Int32Array(nearest.buffer)[0] as number) + Number((nearest[0] as number) < limit);
});
/** Exponent of 2 ** -16, the least number for `findDigits`. From there on, numbers have at most four zeros. */
const MIN_EXPONENT = BIAS - 16;
const SIZE = 0x7fffffff;
/** Upper bound of the rounding error when a number is multiplied by a power of ten. */
const MARGIN = 1e-5;
const PER_MARGIN = 1 / MARGIN;
/** Half a unit of the seventh digit, in units of the eighth digit, minus a safety margin. */
const HALF_OF_SEVENTH = 4.9;

/** Bit offsets in the result of `findDigits`: the number of zeros, and whether seven digits suffice. */
const ZEROS_SHIFT = 27;
const SEVEN_SHIFT = 30;
const UNUSUAL = 0;
const EIGHT_DIGITS = 1e8;

/**
 * Finds the seven or eight digits after the zeros of a single-precision number; `UNUSUAL` if it may need other
 * digits. Chooses between seven and eight by arithmetic, because the processor cannot predict a branch here.
 *
 * @param size absolute value of the number
 * @param bits binary representation of `size`
 */
function findDigits(size: number, bits: number): number {
  const exponent = bits >>> FRACTION_BITS;
  // Excludes powers of two: the float below a power of two is closer than the float above.
  if ((exponent - MIN_EXPONENT) >>> 0 >= BIAS - MIN_EXPONENT || (bits & FRACTION) === 0) return UNUSUAL;
  const zeros = (ZEROS[exponent] as number) + ((bits - (MIN_ZEROS_FROM[exponent] as number)) >>> 31);
  const power = POWERS[zeros + 8] as number;
  const half = (HALF_GAPS[exponent] as number) * power;
  const exact = size * power;
  const eight = (exact + 0.5) | 0;
  const seven = Math.imul((exact * 0.1 + 0.5) | 0, 10);
  // Digits identify a number if their error is less than half the distance to the next float.
  const beyondEight = Math.abs(exact - eight) - half;
  const beyondSeven = Math.abs(exact - seven) - half;
  if (half > HALF_OF_SEVENTH || beyondEight > -MARGIN || Math.abs(beyondSeven) < MARGIN) return UNUSUAL;
  const isSeven = ((beyondSeven * PER_MARGIN) | 0) >>> 31;
  const digits = eight + Math.imul(isSeven, seven - eight);
  return digits < EIGHT_DIGITS ? digits | (zeros << ZEROS_SHIFT) | (isSeven << SEVEN_SHIFT) : UNUSUAL;
}

/** The first eight bytes of a number, without and with a sign. As a double, they are written in one step. */
const BEGINNINGS = [',0.00000', ',-0.0000'].map((text) => Buffer.from(text).readDoubleLE());

const FOUR_DIGITS = new Int32Array(10_000);
const digitOf = (number: number, power: number): number => ((number / power) | 0) % 10;
// Fills the table by arithmetic. Converting to strings would take 5 ms at the start of every thread.
for (let of = 0; of < FOUR_DIGITS.length; of++) {
  const digits = digitOf(of, 1000) | (digitOf(of, 100) << 8) | (digitOf(of, 10) << 16) | ((of % 10) << 24);
  FOUR_DIGITS[of] = 0x30303030 + digits;
}
const TWO_ZEROS = 0x3030;

/**
 * Writes a comma and a number, without trailing zeros.
 *
 * @param packed the result of `findDigits`
 * @param sign 1 if the number is negative, else 0
 */
function writeDigits(packed: number, sign: number, view: DataView, at: number): number {
  const digits = packed & ((1 << ZEROS_SHIFT) - 1);
  const high = (digits / 10_000) | 0;
  const low = FOUR_DIGITS[digits - Math.imul(high, 10_000)] as number;
  const start = at + 3 + sign + ((packed >>> ZEROS_SHIFT) & 7);
  view.setFloat64(at, BEGINNINGS[sign] as number, true);
  view.setInt32(start, FOUR_DIGITS[high] as number, true);
  view.setInt32(start + 4, low, true);
  let end = start + 8 - (packed >>> SEVEN_SHIFT);
  if (low >>> 16 === TWO_ZEROS) while (view.getInt8(end - 1) === 0x30) end--;
  return end;
}

function writeAnyFloat(value: number, out: Uint8Array, at: number): number {
  const size = Math.abs(value);
  if (size < MIN_DECIMAL || !(size < 1)) return writeAscii(shortest(value), out, at);
  let zeros = 0;
  while (zeros < MAX_ZEROS && size * (POWERS[zeros + 1] as number) < 1) zeros++;
  let decimals = zeros + 7;
  let scaled = (size * (POWERS[decimals] as number) + 0.5) | 0;
  if (isSame(scaled, decimals, size)) {
    const fewer = (size * (POWERS[decimals - 1] as number) + 0.5) | 0;
    if (isSame(fewer, decimals - 1, size)) {
      scaled = fewer;
      decimals--;
    }
  } else {
    scaled = (size * (POWERS[++decimals] as number) + 0.5) | 0;
    if (!isSame(scaled, decimals, size)) scaled = (size * (POWERS[++decimals] as number) + 0.5) | 0;
  }
  let next = at;
  if (value < 0) out[next++] = 0x2d;
  return writeDecimals(scaled, decimals, out, next);
}

const isSame = (scaled: number, decimals: number, size: number): boolean =>
  Math.fround(scaled / (POWERS[decimals] as number)) === size;

function writeDecimals(scaled: number, decimals: number, out: Uint8Array, at: number): number {
  let rest = scaled;
  let digits = decimals;
  while (digits > 1 && rest % 10 === 0) {
    rest = (rest / 10) | 0;
    digits--;
  }
  out[at] = 0x30;
  out[at + 1] = 0x2e;
  for (let index = at + 1 + digits; index > at + 1; index--) {
    const tens = (rest / 10) | 0;
    out[index] = 0x30 + rest - tens * 10;
    rest = tens;
  }
  if (rest > 0) out[at] = 0x30 + rest;
  return at + 2 + digits;
}

function shortest(value: number): string {
  if (!Number.isFinite(value) || value === 0) return '0';
  for (let digits = 1; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return String(rounded);
  }
  return String(Number(value.toPrecision(9)));
}

export function writeInteger(value: number, out: Uint8Array, at: number): number {
  let digits = 1;
  for (let power = 10; power <= value; power *= 10) digits++;
  let rest = value;
  for (let index = at + digits - 1; index >= at; index--) {
    out[index] = 0x30 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return at + digits;
}

export function writeAscii(text: string, out: Uint8Array, at: number): number {
  for (let index = 0; index < text.length; index++) out[at + index] = text.charCodeAt(index);
  return at + text.length;
}
