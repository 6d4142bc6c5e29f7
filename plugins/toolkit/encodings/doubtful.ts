import { isPlainText } from './decode.ts';

/** Encodings whose letters beyond ASCII are accented letters of Latin, which are single between others. */
const LATIN = /^(?:windows-125[02478]|iso-8859-(?:1|2|3|4|9|1\d)|macintosh)$/;
const CYRILLIC = /^(?:windows-1251|koi8-[ru]|iso-8859-5|ibm866|x-mac-cyrillic)$/;

/** Letters and signs beyond ASCII, except those that people put in a row: quotes, dashes, spaces. */
const BEYOND = /[^\0-\u007f\u00a0\u00ab\u00bb\u2010-\u2026\u2039\u203a]+/g;
const LONG_RUN = 4;
const MIN_BEYOND = 8;
const CAPITALS = /\p{Lu}/gu;
const SMALL = /\p{Ll}/gu;
/** A small letter before a capital, as in `пРИВЕТ`, which is KOI8-R read as windows-1251. */
const INVERTED = /\p{Ll}(?=\p{Lu})/gu;
const MIN_LETTERS = 20;
/** Enough to judge a text, so that a long one takes no longer. */
const SAMPLE = 1 << 16;

/**
 * Whether a text looks as if it had been decoded in a wrong encoding that happens to be valid: mostly accented letters
 * in a row, capitals within words, or control characters. Texts with few such letters are never doubtful.
 */
export function isDoubtful(whole: string, encoding: string): boolean {
  if (!isPlainText(whole)) return true;
  const text = sampleOf(whole);
  if (LATIN.test(encoding)) return isGarbled(text);
  return CYRILLIC.test(encoding) && isInverted(text);
}

/** Signs that texts in Latin letters rarely have, but that halves of letters of East Asia often become. */
const SIGNS = /[\u0080-\u009f\u00a4-\u00a6\u00a8\u00aa\u00ac\u00af\u00b2-\u00b6\u00b8\u00b9\u00bc-\u00be]/g;
const MANY_SIGNS = 0.3;

function isGarbled(text: string): boolean {
  let all = 0;
  let long = 0;
  const signs = text.match(SIGNS)?.length ?? 0;
  for (const [run] of text.matchAll(BEYOND)) {
    all += run.length;
    if (run.length >= LONG_RUN) long += run.length;
  }
  return all >= MIN_BEYOND && (long * 2 > all || signs > all * MANY_SIGNS);
}

function isInverted(text: string): boolean {
  const beyond = (text.match(BEYOND) ?? []).join(' ');
  const capitals = beyond.match(CAPITALS)?.length ?? 0;
  const small = beyond.match(SMALL)?.length ?? 0;
  const inverted = beyond.match(INVERTED)?.length ?? 0;
  return capitals + small >= MIN_LETTERS && capitals > small * 2 && inverted > 0;
}

/** The first stretches of a text that are not ASCII. */
function sampleOf(text: string): string {
  if (text.length <= SAMPLE) return text;
  const first = text.search(/[^\0-\u007f]/);
  return first === -1 ? '' : text.slice(first, first + SAMPLE);
}
