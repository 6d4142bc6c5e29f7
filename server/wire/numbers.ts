/** Write numbers as ASCII into an array, from `at` on; each function returns the index after what it wrote. */

/** Most bytes of a number in a vector, with its comma. */
export const NUMBER_BYTES = 26;

const SCALE = 1e8;
const MOST_SCALED = 2 ** 53;

/** Writes `[x,y,...]`. */
export function writeVector(vector: Float32Array, out: Uint8Array, at: number): number {
  let place = at;
  out[place++] = 0x5b;
  for (let index = 0; index < vector.length; index++) {
    if (index > 0) out[place++] = 0x2c;
    place = writeNumber(vector[index] as number, out, place);
  }
  out[place++] = 0x5d;
  return place;
}

/** Writes a number with eight decimals, without trailing zeros. What is not finite becomes 0. */
function writeNumber(value: number, out: Uint8Array, at: number): number {
  const scaled = Math.round(Math.abs(value) * SCALE);
  if (!(scaled < MOST_SCALED)) return writeAscii(Number.isFinite(value) ? String(value) : '0', out, at);
  let place = at;
  if (value < 0 && scaled > 0) out[place++] = 0x2d;
  const whole = Math.floor(scaled / SCALE);
  place = whole < 10 ? writeDigit(whole, out, place) : writeAscii(String(whole), out, place);
  let rest = scaled - whole * SCALE;
  if (rest === 0) return place;
  out[place++] = 0x2e;
  for (let power = SCALE / 10; rest > 0; power /= 10) {
    const digit = Math.floor(rest / power);
    out[place++] = 0x30 + digit;
    rest -= digit * power;
  }
  return place;
}

/** Writes a safe integer that is not negative. */
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

function writeDigit(digit: number, out: Uint8Array, at: number): number {
  out[at] = 0x30 + digit;
  return at + 1;
}

export function writeAscii(text: string, out: Uint8Array, at: number): number {
  for (let index = 0; index < text.length; index++) out[at + index] = text.charCodeAt(index);
  return at + text.length;
}
