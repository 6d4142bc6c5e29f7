const ROMAN = /^(?=[CXLVI])(C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})$/;
const ROMAN_DIGITS: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100 };

/** The value of a Roman number in capitals, up to 399; undefined if the letters are not such a number. */
export function romanNumber(letters: string): number | undefined {
  if (!ROMAN.test(letters)) return undefined;
  let value = 0;
  for (let at = 0; at < letters.length; at++) {
    const digit = ROMAN_DIGITS[letters.charAt(at)] as number;
    value += digit < (ROMAN_DIGITS[letters.charAt(at + 1)] ?? 0) ? -digit : digit;
  }
  return value;
}

const CJK_DIGITS = '〇一二三四五六七八九';

export function cjkNumber(written: string): number {
  const ascii = written.replace(/[０-９]/g, (digit) => String(digit.charCodeAt(0) - 0xff10));
  if (/^\d+$/.test(ascii)) return Number(ascii);
  let value = 0;
  let digit = 0;
  for (const letter of written.replace(/零/g, '〇')) {
    const unit = letter === '十' ? 10 : letter === '百' ? 100 : letter === '千' ? 1000 : 0;
    if (unit === 0) digit = digit * 10 + CJK_DIGITS.indexOf(letter);
    else {
      value += Math.max(digit, 1) * unit;
      digit = 0;
    }
  }
  return value + digit;
}

const ORDINALS: readonly RegExp[] = [
  /^(?:erste[rsn]?|first|one|premi[eè]re?|primer[oa]?|prim[oa]|unique|[uú]nic[oa])$/i,
  /^(?:zweite[rsn]?|second|two|deuxi[eè]me|seconde|segund[oa]|second[oa])$/i,
  /^(?:dritte[rsn]?|third|three|troisi[eè]me|tercer[oa]?|terz[oa])$/i,
  /^(?:vierte[rsn]?|fourth|four|quatri[eè]me|cuart[oa]|quart[oa])$/i,
  /^(?:fünfte[rsn]?|fifth|five|cinqui[eè]me|quint[oa])$/i,
  /^(?:sechste[rsn]?|sixth|six|sixi[eè]me|sext[oa]|sest[oa])$/i,
  /^(?:sieb(?:en)?te[rsn]?|seventh|seven|septi[eè]me|s[eé]ptim[oa]|settim[oa])$/i,
  /^(?:achte[rsn]?|eighth|eight|huiti[eè]me|octav[oa]|ottav[oa])$/i,
  /^(?:neunte[rsn]?|ninth|nine|neuvi[eè]me|noven[oa]|non[oa])$/i,
  /^(?:zehnte[rsn]?|tenth|ten|dixi[eè]me|d[eé]cim[oa])$/i,
  /^(?:elfte[rsn]?|eleventh|eleven|onzi[eè]me|und[eé]cim[oa]|undicesim[oa])$/i,
  /^(?:zwölfte[rsn]?|twelfth|twelve|douzi[eè]me|duod[eé]cim[oa]|dodicesim[oa])$/i,
  /^(?:dreizehnte[rsn]?|thirteenth|treizi[eè]me)$/i,
  /^(?:vierzehnte[rsn]?|fourteenth|quatorzi[eè]me)$/i,
  /^(?:fünfzehnte[rsn]?|fifteenth|quinzi[eè]me)$/i,
  /^(?:sechzehnte[rsn]?|sixteenth|seizi[eè]me)$/i,
  /^(?:siebzehnte[rsn]?|seventeenth)$/i,
  /^(?:achtzehnte[rsn]?|eighteenth)$/i,
  /^(?:neunzehnte[rsn]?|nineteenth)$/i,
  /^(?:zwanzigste[rsn]?|twentieth|vingti[eè]me)$/i,
];

const COMPOSED =
  /^(?:(ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und)?(zwanzig|drei(?:ß|ss)ig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)ste[rsn]?$/i;
const UNITS = ['ein', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun'];
const TENS = ['zw', 'dr', 'vi', 'fü', 'se', 'si', 'ac', 'ne'];

export function ordinalNumber(word: string): number | undefined {
  if (/^pr[eé]limina(?:ire|ry|re?)$/i.test(word)) return 0;
  const index = ORDINALS.findIndex((pattern) => pattern.test(word));
  if (index !== -1) return index + 1;
  const composed = COMPOSED.exec(word);
  if (composed === null) return undefined;
  const unit = UNITS.indexOf((composed[1] ?? '').toLowerCase()) + 1;
  const tens = TENS.indexOf((composed[2] as string).slice(0, 2).toLowerCase()) + 2;
  return tens * 10 + unit;
}

/** Suffixes of inserted numbers, in their order: 3, 3 bis, 3 ter. */
export const LATIN_SUFFIXES: Readonly<Record<string, number>> = Object.fromEntries(
  `bis ter quater quinquies sexies septies octies nonies|novies decies undecies duodecies terdecies quaterdecies
  quindecies|quinquiesdecies sexdecies|sexiesdecies septdecies|septiesdecies octodecies|octiesdecies novodecies vicies
  unvicies duovicies tervicies quatervicies quinvicies`
    .split(/\s+/)
    .flatMap((forms, index) => forms.split('|').map((form) => [form, index + 1])),
);
