const ROMAN: readonly (readonly [letters: string, value: number])[] = [
  ['m', 1000],
  ['cm', 900],
  ['d', 500],
  ['cd', 400],
  ['c', 100],
  ['xc', 90],
  ['l', 50],
  ['xl', 40],
  ['x', 10],
  ['ix', 9],
  ['v', 5],
  ['iv', 4],
  ['i', 1],
];
const LETTERS = 26;
/** Larger numbers are written in decimal, because as letters they could be arbitrarily long. */
const MAX_LETTERED = 3999;

export function romanNumeral(number: number): string {
  if (number < 1 || number > MAX_LETTERED) return String(number);
  let left = number;
  return ROMAN.map(([letters, value]) => {
    const count = Math.floor(left / value);
    left -= count * value;
    return letters.repeat(count);
  }).join('');
}

/** The number as letters, as word processors write it: `a` to `z`, then `aa`, `bb` and so on. */
export function letterNumeral(number: number): string {
  if (number < 1 || number > MAX_LETTERED) return String(number);
  const letter = String.fromCharCode('a'.charCodeAt(0) + ((number - 1) % LETTERS));
  return letter.repeat(Math.ceil(number / LETTERS));
}

const SUPERSCRIPTS: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from('⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻', (sign, index) => ['0123456789+-'[index], sign]),
);

/** Writes a raised number with superscript digits: otherwise `10⁶` would become `106`. */
export function raised(text: string): string {
  return /^[\d+-]+$/.test(text) ? text.replace(/./g, (sign) => SUPERSCRIPTS[sign] ?? sign) : text;
}
