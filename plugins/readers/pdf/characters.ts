/** What PDFium gives for a character whose font does not say what it means. */
const UNREADABLE = '\ufffd';

// biome-ignore lint/suspicious/noControlCharactersInRegex: fonts without a table of characters give them.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufdd0-\ufdef\ufffe\uffff]/g;

/** Ligatures, Kangxi radicals and radicals of the CJK supplement: search looks for the letters and ideographs. */
const COMPATIBLE = /[\ufb00-\ufb06\u2e9f\u2ef3\u2f00-\u2fd5]/g;

/** Private codes of Adobe's glyph list for old-style figures and small capitals (U+F700 and the code of the plain character). */
const ADOBE_VARIANT = /[\uf721-\uf77a\uf7e0-\uf7f6\uf7f8-\uf7fe]/g;

const C1 = /[\u0080-\u009f]/g;
const WINDOWS = new TextDecoder('windows-1252');
/** Lam and alef drawn as one sign come out with their letters exchanged. */
const LAM_ALEF = /\u0627([\u0625\u0623\u0622])\u0644/g;

/** Printable ASCII: all characters are as they are meant. */
const PLAIN = /^[\x20-\x5f\x61-\x7e]*$/;

/** Characters as they are meant: fonts and TeX write some in a way of their own. */
export function cleaned(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .toWellFormed()
    .replace(C1, (sign) => WINDOWS.decode(Uint8Array.of(sign.charCodeAt(0))))
    .replace(COMPATIBLE, (sign) => sign.normalize('NFKC'))
    .replace(ADOBE_VARIANT, (sign) => String.fromCharCode(sign.charCodeAt(0) & 0xff).toUpperCase())
    .replace(LAM_ALEF, '\u0627\u0644$1');
}

const LIGATURES = ['ff', 'fi', 'fl', 'ffi', 'ffl'];
/** The codes of ligatures in TeX's encodings OT1 and T1. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: TeX has its ligatures there.
const OT1 = /[\u000b-\u000f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: TeX has its ligatures there.
const T1 = /[\u001b-\u001f]/g;
/** Letters of a font that are enough to judge it, and shares of letters in words and of codes within words. */
const MIN_LETTERS = 40;
const MIN_IN_WORDS = 0.7;
const MIN_WITHIN = 0.9;

/**
 * The codes that are ligatures in a font without names of glyphs: such a font has words in ASCII, and these codes only within
 * them. Fonts of formulas have other signs there.
 *
 * @param text all of the font's text
 */
export function ligaturesOf(text: string): RegExp | undefined {
  const letters = text.match(/[a-z]/gi)?.length ?? 0;
  const inWords = text.match(/[a-z]{3,1000}/gi)?.reduce((sum, word) => sum + word.length, 0) ?? 0;
  if (letters < MIN_LETTERS || inWords < MIN_IN_WORDS * letters) return undefined;
  return [OT1, T1].find((codes) => {
    const all = text.match(codes)?.length ?? 0;
    const within = text.match(new RegExp(`(?<=[a-z])${codes.source}|${codes.source}(?=[a-z])`, 'gi'));
    return all > 0 && (within?.length ?? 0) >= MIN_WITHIN * all;
  });
}

/** Writes ligatures as letters. */
export const withLigatures = (text: string, codes: RegExp): string =>
  text.replace(codes, (sign) => LIGATURES[(sign.charCodeAt(0) & 0xf) - 0xb] ?? sign);

/** Removes characters that no text has, and counts them. */
export function withoutUnreadable(text: string): { readonly text: string; readonly removed: number } {
  if (PLAIN.test(text)) return { text, removed: 0 };
  const readable = text.replace(CONTROL, '').replaceAll(UNREADABLE, '');
  return { text: readable, removed: text.length - readable.length };
}

/** A word as people write it, possibly in quotation marks or brackets. */
const WORD =
  /^[([{"'\u201c\u2018\u00ab\u201e]{0,3}\p{L}[\p{L}\p{M}'\u2019\u2010-]*[.,;:!?)\]}"'\u201d\u2019\u00bb\u2026]{0,4}$/u;
/** Letters of other scripts, which fonts without a table of characters do not give: some have no spaces between words. */
const OTHER_SCRIPT = /[^\P{L}\p{Script=Latin}\p{Script=Greek}][\p{L}\p{M}]+/gu;
/** Words, numbers and hashes within code. */
const PIECE = /(?<![A-Za-z\d])[A-Za-z\d]{6,}/g;
/** Numbers, and those of parts. */
const NUMBER = /^[\d.,:%$\u20ac\u00a3()/+\u2013*-]+$|^(?=\D*\d)[A-Z\d]+(?:[-/][A-Z\d]+)+$/;
const ODD_CASE = /\p{Ll}\p{Lu}/gu;
const LATIN = /^[A-Za-z]{4,}$/;
const VOWEL = /[aeiouy]/i;
/** Texts with fewer visible characters are not judged. */
const MIN_JUDGED = 1000;
/** Share of characters in words and numbers. In 180 public files the least of a readable one is .17, and the most of garbage .08. */
const MIN_LANGUAGE = 0.1;
/** A text that has more is judged by its beginning. */
const MAX_JUDGED = 200_000;
/** A longer token of Latin letters is not a word. */
const MAX_WORD_LENGTH = 100;

/**
 * Whether a text consists of words and numbers: fonts without a table of characters give letters and signs by chance.
 *
 * @param removed characters that were unreadable
 */
export function isLanguage(text: string, removed: number): boolean {
  const judged = text.slice(0, MAX_JUDGED);
  const ofRemoved = Math.min(removed, (removed / Math.max(text.length, 1)) * MAX_JUDGED);
  // As many are enough, whatever follows.
  const enough = MIN_LANGUAGE * (ofRemoved + judged.length);
  let inWords = 0;
  let all = ofRemoved;
  for (const [token] of judged.matchAll(/\S+/g)) {
    if (inWords >= enough) return true;
    all += token.length;
    if (isWord(token)) inWords += token.length;
    else if (NUMBER.test(token)) inWords += token.length / 2;
    else inWords += lengthOf(token.match(OTHER_SCRIPT)) + lengthOf(token.match(PIECE)) / 2;
  }
  return all < MIN_JUDGED || inWords / all >= MIN_LANGUAGE;
}

const lengthOf = (pieces: readonly string[] | null): number =>
  pieces?.reduce((sum, piece) => sum + piece.length, 0) ?? 0;

function isWord(token: string): boolean {
  if (token.length > MAX_WORD_LENGTH || !WORD.test(token)) return false;
  const letters = token.replace(/[^\p{L}]/gu, '');
  return (letters.match(ODD_CASE)?.length ?? 0) <= 1 && (!LATIN.test(letters) || VOWEL.test(letters));
}

/** Dots that lead from an entry of contents, or the label of a row, to its number. */
export const LEADER = /(?:\.\s?){4,}|(?:\u2026\s?){2,}/;
const DOT = /[.\u2026\s]/;

/** A text without the leader at its end. */
export function withoutLeader(text: string): string {
  let end = text.length;
  while (end > 0 && DOT.test(text.charAt(end - 1))) end--;
  return LEADER.test(text.slice(end)) ? text.slice(0, end) : text;
}
