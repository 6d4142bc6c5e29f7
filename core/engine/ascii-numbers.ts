/** Numbers and vectors as ASCII. What writes into an array does so from `at` on, and returns the index after what it wrote. */

/** Maximum bytes of a number in a vector, with its comma. */
export const NUMBER_BYTES = 26;

/** Writes `[x,y,...]`. */
export function writeVector(vector: Float32Array, out: Uint8Array, at: number): number {
  const bits = new Int32Array(vector.buffer, vector.byteOffset, vector.length);
  const view = new DataView(out.buffer, out.byteOffset, out.byteLength);
  let place = at;
  out[place++] = 0x5b;
  for (let index = 0; index < vector.length; index++) {
    if (index > 0) out[place++] = 0x2c;
    place = writeFloat(vector[index] as number, bits[index] as number, out, view, place);
  }
  out[place++] = 0x5d;
  return place;
}

/** Longest vector that is written into memory that is reused. */
const MAX_REUSED = 4096;
const reused = Buffer.alloc(MAX_REUSED * NUMBER_BYTES + 2);

/**
 * A vector as JSON, `[x,y,...]`, each number with the fewest digits that give the same number in single precision:
 * half as long as what `JSON.stringify` writes, and in a fraction of its time.
 */
export function vectorJson(vector: Float32Array): string {
  const out = vector.length <= MAX_REUSED ? reused : Buffer.alloc(vector.length * NUMBER_BYTES + 2);
  return out.toString('latin1', 0, writeVector(vector, out, 0));
}

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** A vector as base64 of its 32-bit floats, little-endian. */
export function vectorBase64(vector: Float32Array): string {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return (isLittleEndian ? bytes : Buffer.from(bytes).swap32()).toString('base64');
}

/** The vector that `vectorBase64` wrote. */
export function vectorOfBase64(base64: string): Float32Array {
  const vector = new Float32Array(Buffer.byteLength(base64, 'base64') >> 2);
  const bytes = Buffer.from(vector.buffer);
  bytes.write(base64, 'base64');
  if (!isLittleEndian) bytes.swap32();
  return vector;
}

/** Numbers from here up to 1 have at most nine digits after at most five zeros. */
const LEAST_DECIMAL = 1e-6;
const POWERS = Float64Array.from({ length: 15 }, (_, power) => 10 ** power);
const MOST_ZEROS = 5;

/** Bits of the fraction of a number in single precision, and what is added to its exponent. */
const [FRACTION_BITS, BIAS] = [23, 127];
const FRACTION = 2 ** FRACTION_BITS - 1;
/** Half the distance to the next number, by the exponent of a number less than 1. */
const HALF_GAPS = Float64Array.from(
  { length: BIAS },
  (_, exponent) => 2 ** (exponent - BIAS - FRACTION_BITS - 1),
);
/** The fewest zeros after the point that a number of an exponent has; it may have one more. */
const ZEROS = Int32Array.from({ length: BIAS }, (_, exponent) => -Math.log10(2 ** (exponent - BIAS + 1)));
/** The bits of the least number of an exponent that does not have one more. */
const FEWEST_ZEROS_FROM = Int32Array.from(ZEROS, (zeros) => {
  const limit = 10 ** -(zeros + 1);
  const nearest = Float32Array.of(limit);
  return (new Int32Array(nearest.buffer)[0] as number) + Number((nearest[0] as number) < limit);
});
/** The exponent of the numbers from 2 ** -19 on, which have at most five zeros. */
const LEAST_EXPONENT = 108;
/** The bits of a number without its sign. */
const SIZE = 0x7fffffff;
/** More than the error of a number that is scaled. */
const MARGIN = 1e-6;
const PER_MARGIN = 1 / MARGIN;
const NINE_DIGITS = 1e9;

/**
 * Writes the fewest digits that give the same number in single precision. A number that is not finite becomes 0.
 *
 * For most numbers these are seven or eight. Which of the two cannot be predicted, nor the sign, so that this has no
 * branch that depends on it.
 *
 * @param value a number in single precision
 * @param bits of the value
 */
function writeFloat(value: number, bits: number, out: Uint8Array, view: DataView, at: number): number {
  const size = Math.abs(value);
  const exponent = (bits >>> FRACTION_BITS) & 0xff;
  // The number before a power of two is nearer to it than the next one.
  if ((exponent - LEAST_EXPONENT) >>> 0 >= BIAS - LEAST_EXPONENT || (bits & FRACTION) === 0)
    return writeAnyFloat(value, out, at);
  const zeros =
    (ZEROS[exponent] as number) + (((bits & SIZE) - (FEWEST_ZEROS_FROM[exponent] as number)) >>> 31);
  const power = POWERS[zeros + 7] as number;
  const half = (HALF_GAPS[exponent] as number) * power;
  const seven = size * power;
  const six = seven * 0.1;
  const eight = seven * 10;
  const rounded = (seven + 0.5) | 0;
  const longer = (eight + 0.5) | 0;
  // Digits give the number if they are less than half the distance to the next number away from it.
  const beyondSix = 10 * Math.abs(six - ((six + 0.5) | 0)) - half;
  const beyondSeven = Math.abs(seven - rounded) - half;
  const beyondEight = Math.abs(eight - longer) - 10 * half;
  const isSeven = ((beyondSeven * PER_MARGIN) | 0) >>> 31;
  const nine = Math.imul(longer, 10);
  const digits = nine + Math.imul(isSeven, Math.imul(rounded, 100) - nine);
  const isUsual = beyondSix > MARGIN && beyondEight < -MARGIN && Math.abs(beyondSeven) > MARGIN;
  if (!isUsual || digits >= NINE_DIGITS) return writeAnyFloat(value, out, at);
  const sign = bits >>> 31;
  const place = at + sign + 2 + zeros;
  view.setFloat64(at, BEGINNINGS[sign] as number, true);
  writeNineDigits(digits, view, place);
  return place + 8 - isSeven;
}

/** What a number begins with, and one with a sign: eight bytes that are written at once, as one number. */
const BEGINNINGS = ['0.000000', '-0.00000'].map((text) => Buffer.from(text).readDoubleLE());

/** The four digits of the numbers below 10,000, the first in the lowest byte. */
const FOUR_DIGITS = new Int32Array(10_000);
const digitOf = (number: number, place: number): number => ((number / place) | 0) % 10;
// Every thread waits for this when it starts: text instead of arithmetic takes 5 ms.
for (let of = 0; of < FOUR_DIGITS.length; of++) {
  const digits = digitOf(of, 1000) | (digitOf(of, 100) << 8) | (digitOf(of, 10) << 16) | ((of % 10) << 24);
  FOUR_DIGITS[of] = 0x30303030 + digits;
}

function writeNineDigits(digits: number, view: DataView, at: number): void {
  const high = (digits / 100_000) | 0;
  const low = digits - Math.imul(high, 100_000);
  const middle = (low / 10) | 0;
  view.setInt32(at, FOUR_DIGITS[high] as number, true);
  view.setInt32(at + 4, FOUR_DIGITS[middle] as number, true);
  view.setInt8(at + 8, 0x30 + low - middle * 10);
}

function writeAnyFloat(value: number, out: Uint8Array, at: number): number {
  const size = Math.abs(value);
  if (size < LEAST_DECIMAL || !(size < 1)) return writeAscii(shortest(value), out, at);
  let zeros = 0;
  while (zeros < MOST_ZEROS && size * (POWERS[zeros + 1] as number) < 1) zeros++;
  // Seven or eight digits suffice for most numbers.
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
  let place = at;
  if (value < 0) out[place++] = 0x2d;
  return writeDecimals(scaled, decimals, out, place);
}

const isSame = (scaled: number, decimals: number, size: number): boolean =>
  Math.fround(scaled / (POWERS[decimals] as number)) === size;

/** Writes `scaled` / 10^`decimals`, which is at most 1, without trailing zeros. */
function writeDecimals(scaled: number, decimals: number, out: Uint8Array, at: number): number {
  let rest = scaled;
  let places = decimals;
  while (places > 1 && rest % 10 === 0) {
    rest = (rest / 10) | 0;
    places--;
  }
  out[at] = 0x30;
  out[at + 1] = 0x2e;
  for (let place = at + 1 + places; place > at + 1; place--) {
    const tens = (rest / 10) | 0;
    out[place] = 0x30 + rest - tens * 10;
    rest = tens;
  }
  if (rest > 0) out[at] = 0x30 + rest;
  return at + 2 + places;
}

/** The fewest digits for any number, slowly. */
function shortest(value: number): string {
  if (!Number.isFinite(value) || value === 0) return '0';
  for (let digits = 1; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return String(rounded);
  }
  return String(Number(value.toPrecision(9)));
}

/** Writes a non-negative safe integer. */
export function writeInteger(value: number, out: Uint8Array, at: number): number {
  let digits = 1;
  for (let power = 10; power <= value; power *= 10) digits++;
  let rest = value;
  for (let place = at + digits - 1; place >= at; place--) {
    out[place] = 0x30 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return at + digits;
}

export function writeAscii(text: string, out: Uint8Array, at: number): number {
  for (let index = 0; index < text.length; index++) out[at + index] = text.charCodeAt(index);
  return at + text.length;
}
