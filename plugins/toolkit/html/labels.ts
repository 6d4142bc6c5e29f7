import { romanNumeral } from '../markdown/index.ts';

const MAX_ROMAN = 3999;
const ALPHABET = 26;
const BEFORE_A = 96;

/** The number of an item, as browsers show it. @param type the attribute of the list: `a`, `A`, `i`, `I` or `1` */
export function labelOf(type: string, number: number): string {
  if (number >= 1 && /^a$/i.test(type)) return `${inCase(type, letters(number))}.`;
  if (number >= 1 && number <= MAX_ROMAN && /^i$/i.test(type))
    return `${inCase(type, romanNumeral(number))}.`;
  return `${number}.`;
}

const inCase = (type: string, label: string): string =>
  type === type.toUpperCase() ? label.toUpperCase() : label;

/** The number as browsers write it in letters: `a` to `z`, then `aa`, `ab` and so on. Word processors differ. */
function letters(number: number): string {
  let label = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / ALPHABET))
    label = String.fromCharCode(BEFORE_A + 1 + ((rest - 1) % ALPHABET)) + label;
  return label;
}
