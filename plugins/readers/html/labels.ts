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
const MAX_ROMAN = 3999;
const ALPHABET = 26;
const BEFORE_A = 96;

/** The number of an item, as browsers show it. @param type the attribute of the list: `a`, `A`, `i`, `I` or `1` */
export function labelOf(type: string, number: number): string {
  if (number >= 1 && /^a$/i.test(type)) return `${inCase(type, letters(number))}.`;
  if (number >= 1 && number <= MAX_ROMAN && /^i$/i.test(type)) return `${inCase(type, roman(number))}.`;
  return `${number}.`;
}

const inCase = (type: string, label: string): string =>
  type === type.toUpperCase() ? label.toUpperCase() : label;

function letters(number: number): string {
  let label = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / ALPHABET))
    label = String.fromCharCode(BEFORE_A + 1 + ((rest - 1) % ALPHABET)) + label;
  return label;
}

function roman(number: number): string {
  let left = number;
  return ROMAN.map(([sign, value]) => {
    const count = Math.floor(left / value);
    left -= count * value;
    return sign.repeat(count);
  }).join('');
}
