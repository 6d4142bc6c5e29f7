import { isAnnex, isArticle, KIND_OF } from './kinds.ts';
import { cjkNumber, LATIN_SUFFIXES, ordinalNumber, romanNumber } from './numerals.ts';

/** The number at the start of a line, with its word if there is one: `§ 12a`, `Chapter IV`, `2.1.4`, `(b)`, `第五条`. */
export interface Label {
  /** The word before the number (`Chapter`), and the number's form (Roman). A sequence has labels of one family. */
  readonly family: string;
  /** The word, or without a word the form of the number. All headings of a kind have the same rank. */
  readonly kind: string;
  /** `[2, 1, 4]` for 2.1.4, `[12, 1]` for 12a. */
  readonly numbers: readonly number[];
  /** The last number of a range such as `§§ 12 to 15 (repealed)`. Without a range, equal to `numbers`. */
  readonly through: readonly number[];
  /** Number of levels: 3 for 2.1.4, but 1 for 12a. */
  readonly depth: number;
  readonly end: number;
  readonly rest: number;
  readonly isDivided: boolean;
  readonly isBare: boolean;
}

export const MAX_READ = 160;

const ALL_WORDS = [...KIND_OF.keys()].sort((a, b) => b.length - a.length).join('|');
const WORD = new RegExp(`(${ALL_WORDS.replaceAll('-', '[ -]')})(?![\\p{L}\\d])\\.?[ \\t\\u00a0]*`, 'iuy');
const COUNT = /(?:(\d{1,3})\.?|([IVXLC]{1,7})\.|(\p{L}{3,20}))[ \t\u00a0]+(?=\p{L})/uy;
const GERMAN = /^(?:unter)?(?:teil|abschnitt|buch|kapitel|titel|hauptstück)|^an(?:lage|hang)/i;
const LATIN = Object.keys(LATIN_SUFFIXES)
  .flatMap((suffix) => [suffix, suffix.toUpperCase()])
  .join('|');
/** Suffixes of inserted numbers: `12a`, `3 bis`, `16 A`, `242 septies K`. */
const SUFFIX = `((?:[ \\u00a0-]?(?:${LATIN})(?![\\p{L}\\d]| \\d)|[a-z]{1,2}(?![\\p{L}\\d])|[ \\u00a0]?[A-Z]{1,2}(?=[ \\u00a0]*(?:$|[:–—-]|(?:${LATIN})(?![\\p{L}\\d]))))*)`;
const ARABIC = new RegExp(
  `(?:(LO|[LRDA])[.*]{0,2}[ \\u00a0]?)?(\\d{1,5}(?:[.‑–-]\\d{1,4}(?![\\d]))*)(?:[ \\u00a0]?er(?![\\p{L}\\d])|re|ère|º|°|\\.º|st|nd|rd|th)?${SUFFIX}(?![\\p{L}\\d])`,
  'uy',
);
const ROMAN = new RegExp(`([IVXLC]{1,9})(?:\\.?er)?${SUFFIX}(?![\\p{L}\\d])`, 'uy');
const LETTER = /([A-Z])(?![\p{L}\d])/uy;
const NUMBER_WORD = new RegExp(`(\\p{L}{3,20})(?!\\p{L})${SUFFIX}(?![\\p{L}\\d])`, 'uy');
const RANGE =
  /[ \u00a0]?(?:bis|to|through|and|und|u\.|à|et|a|y|e|[-–])[ \u00a0](?:§ )?(\d{1,4})[ ]?([a-z])?(?= *(?:$|[([.]))/y;
const DIVIDER =
  /[ \t\u00a0]*(?:\.?[ \t\u00a0]*[-–—:|][ \t\u00a0]+|[.:](?=\s|$)[ \t\u00a0]*|:(?=\p{Lu})|[-–—] ?|\t+)|[ \t\u00a0]{2,}|[\u2000-\u200a\u3000]+/uy;
const SPACES = /[ \t\u00a0\u2000-\u200a\u3000]*/y;

const CJK =
  /第[ \t]*([0-9０-９]{1,4}|[〇零一二三四五六七八九十百千]{1,8})[ \t]*(分编|部分|编|編|篇|部|章|节|節|款|目|条|條)((?:[の之]([0-9０-９]{1,3}|[一二三四五六七八九十]{1,3}))*)/y;
/** The family of supplementary provisions. These have no number, and number their articles from 1 again. */
export const SUPPLEMENT = '附則';
const CJK_SUPPLEMENT = /附[ \u3000]*[則则](?=[ \u3000]*(?:$|[（(]|抄))/y;
const CJK_ITEM = /([一二三四五六七八九十]{1,3})[、．]|[（(]([一二三四五六七八九十]{1,3})[)）]/y;
const DECIMAL =
  /(\d{1,3}(?:[a-z](?=\.)|(?:\.\d{1,3}){0,7})|[A-Z](?:\.\d{1,3}){1,7})(\\?\.|\\?\)|)(?=[ \t\u00a0\u3000]|$)/y;
const LISTED =
  /(?:(\\?\()(\d{1,3}|[a-z]|[A-Z]|[ivx]{1,5})\\?\)|([A-Z]|[IVXLC]{1,7}|[a-z]|[ivx]{1,5})((?<=[A-Z]) ?[a-z])?\\?([.)])|([A-Z]|[IVXLC]{1,7})( bis| ter| quater)? [:–-])(?=[ \t\u00a0]|$)/y;

/**
 * Finds all readings of the label at the start of a line. For example, a letter may also be a Roman number.
 *
 * @param line at most `MAX_READ` characters, without leading white space
 */
export function labelsOf(line: string): readonly Label[] {
  const first = line.charCodeAt(0);
  if (first < 128 ? !BEGINS[first] : !/[§\p{L}（]/u.test(line.charAt(0))) return NONE;
  return cjkLabels(line) ?? wordLabels(line) ?? countedWord(line) ?? bareLabels(line);
}

const NONE: readonly Label[] = [];

const BEGINS = Array.from({ length: 128 }, (_, unit) => /[A-Za-z0-9(\\]/.test(String.fromCharCode(unit)));

function match(pattern: RegExp, line: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(line);
}

function labelAt(
  line: string,
  end: number,
  known: Pick<Label, 'family' | 'kind' | 'numbers'> & Partial<Label>,
): Label {
  const divider = match(DIVIDER, line, end)?.[0] ?? '';
  const rest = end + divider.length + (match(SPACES, line, end + divider.length)?.[0].length ?? 0);
  return { through: known.numbers, depth: 1, isBare: false, end, rest, isDivided: divider !== '', ...known };
}

/** Reads `Article 5`, `Sec. 2.1`, `§ 12a`, `Title VIII bis`, `Part One`. An annex may lack a number. */
function wordLabels(line: string): readonly Label[] | undefined {
  const word = match(WORD, line, 0);
  if (word === null) return undefined;
  const kind = kindOf(word[1] as string);
  const at = word[0].length;
  const arabic = match(ARABIC, line, at);
  if (arabic !== null) {
    const label = arabicLabel(line, kind, arabic, at);
    // Many sequences in Roman numbers begin with 1 instead of I.
    const isOne = /^1\s?er/.test(arabic[0]) || (arabic[0] === '1' && !isArticle(kind));
    return isOne ? [label, { ...label, family: `${kind} I` }] : [label];
  }
  const labels: Label[] = [];
  const roman = match(ROMAN, line, at);
  const value = romanNumber(roman?.[1] ?? '');
  if (roman !== null && value !== undefined) {
    const numbers = withSuffix([value], roman[2]);
    // Some sequences in digits begin with I instead of 1.
    for (const form of roman[0] === 'I' ? ['I', '1'] : ['I'])
      labels.push(labelAt(line, at + roman[0].length, { family: `${kind} ${form}`, kind, numbers }));
  }
  const letter = match(LETTER, line, at);
  if (letter !== null)
    labels.push(
      labelAt(line, at + 1, { family: `${kind} A`, kind, numbers: [letterNumber(letter[1] as string)] }),
    );
  const spelt = match(NUMBER_WORD, line, at);
  const ordinal = ordinalNumber(spelt?.[1] ?? '');
  if (spelt !== null && ordinal !== undefined)
    for (const form of ['I', '1'])
      labels.push(
        labelAt(line, at + spelt[0].length, {
          family: `${kind} ${form}`,
          kind,
          numbers: withSuffix([ordinal], spelt[2]),
        }),
      );
  if (isAnnex(kind) && /^\s*$/.test(line.slice(at)))
    for (const form of ['', ' I', ' 1'])
      labels.push(labelAt(line, word[0].trimEnd().length, { family: kind + form, kind, numbers: [1] }));
  return labels.length > 0 ? labels : undefined;
}

function kindOf(word: string): string {
  return KIND_OF.get(word.toLowerCase().replace(' ', '-')) as string;
}

function arabicLabel(
  line: string,
  kind: string,
  [all, code = '', digits = '', suffix]: RegExpExecArray,
  at: number,
): Label {
  const parts = digits.split(/[.‑–-]/).map(Number);
  const numbers = withSuffix(parts, suffix);
  const depth = kind !== 'article' && kind !== '§' && /^\d+(\.\d+)+$/.test(digits) ? parts.length : 1;
  const end = at + all.length;
  const range = match(RANGE, line, end);
  const through = range === null ? numbers : withSuffix([Number(range[1])], range[2]);
  return labelAt(line, end + (range?.[0].length ?? 0), {
    // French codes mark a regulation with R, D or A by its issuer, but number all regulations in one sequence.
    family: `${kind} 1${code.replace(/^[DA]$/, 'R').replace('LO', 'L')}`,
    kind,
    numbers,
    through,
    depth,
  });
}

function withSuffix(numbers: readonly number[], suffix = ''): number[] {
  const parts = suffix.match(/[a-z]{3,}|[A-Z]{3,}|[a-z]|[A-Z]+/g) ?? [];
  const further = parts.map(
    (part) =>
      LATIN_SUFFIXES[part.toLowerCase()] ??
      (part === part.toUpperCase() ? capitalNumber(part) : letterNumber(part)),
  );
  return [...numbers, ...further];
}

/** Numbers capitals in the order of a dictionary: P, PA, Q. */
function capitalNumber(letters: string): number {
  return CAPITALS + letterNumber(letters.padEnd(2, '`'));
}

function letterNumber(letter: string): number {
  return [...letter.toLowerCase()].reduce((value, one) => value * 26 + one.charCodeAt(0) - 96, 0);
}

/** Reads a number before its word: `1. Abschnitt`, `Erster Teil`, `II. Buch`, `Première partie`. */
function countedWord(line: string): readonly Label[] | undefined {
  const count = match(COUNT, line, 0);
  if (count === null) return undefined;
  const [all, digits, roman, spelt] = count;
  const word = match(WORD, line, all.length);
  // If a number follows the word too, the line is a paragraph (`2. Chapter 5 applies`) or has two labels.
  if (word === null || /^(?:\d|[A-Z](?!\p{L}))/u.test(line.slice(all.length + word[0].length)))
    return undefined;
  // Only German writes digits before the word. In other languages, `1. Title` is an item of a list.
  if (spelt === undefined && !GERMAN.test(word[0])) return undefined;
  const value =
    spelt !== undefined ? ordinalNumber(spelt) : roman !== undefined ? romanNumber(roman) : Number(digits);
  if (value === undefined) return undefined;
  const kind = kindOf(word[1] as string);
  const family = `${kind} ${roman === undefined ? '1' : 'I'}`;
  const end = all.length + (word[1] as string).length;
  const inserted = /^ [a-z](?= [–—-] )/.exec(line.slice(end))?.[0] ?? '';
  return [labelAt(line, end + inserted.length, { family, kind, numbers: withSuffix([value], inserted) })];
}

/** Reads `第五条`, `第三条の二`, `一、`, `（二）`. */
function cjkLabels(line: string): readonly Label[] | undefined {
  const counted = match(CJK, line, 0);
  if (counted !== null) {
    const [all, number, kind, further] = counted;
    const others = (further as string).split(/[の之]/).filter((part) => part !== '');
    const numbers = [number as string, ...others].map(cjkNumber);
    const label = labelAt(line, all.length, { family: kind as string, kind: kind as string, numbers });
    return [
      {
        ...label,
        isDivided: label.isDivided || /^(?:[ \t]|[（(【]|$)/.test(line.slice(label.end, label.end + 1)),
      },
    ];
  }
  const supplement = match(CJK_SUPPLEMENT, line, 0);
  if (supplement !== null)
    return [labelAt(line, supplement[0].length, { family: SUPPLEMENT, kind: 'annex', numbers: [1] })];
  const item = match(CJK_ITEM, line, 0);
  if (item === null) return undefined;
  const kind = item[1] === undefined ? '（一）' : '一、';
  const numbers = [cjkNumber((item[1] ?? item[2]) as string)];
  return [labelAt(line, item[0].length, { family: kind, kind, numbers, isBare: true })];
}

/** Reads numbers without a word: `2.1.4`, `A.1`, `II.`, `B.`, `(a)`, `1)`. */
function bareLabels(line: string): readonly Label[] {
  const decimal = match(DECIMAL, line, 0);
  if (decimal !== null && !/^0/.test(decimal[0])) {
    const [all, digits, close] = decimal;
    const parts = (digits as string).replace(/[a-z]$/, '').split('.');
    const inserted = /[a-z]$/.exec(digits as string)?.[0];
    const levels = parts.map((part) => (/\d/.test(part) ? Number(part) : letterNumber(part)));
    const numbers = withSuffix(levels, inserted);
    const isLettered = /^[A-Z]/.test(all);
    const kind = (close as string).endsWith(')') ? '1)' : isLettered ? 'A.1' : '1';
    const depth = parts.length;
    if (kind === 'A.1')
      return [
        labelAt(line, all.length, { family: kind, kind, numbers, depth, isBare: true }),
        appendix(line, all.length, numbers),
      ];
    if (kind === '1' || depth === 1)
      return [labelAt(line, all.length, { family: kind, kind, numbers, depth, isBare: true })];
  }
  const listed = match(LISTED, line, 0);
  if (listed === null) return NONE;
  const isEnclosed = listed[1] !== undefined;
  const token = (listed[2] ?? listed[3] ?? listed[6]) as string;
  const close = isEnclosed ? '()' : (listed[5] ?? ' :');
  const bare = (form: string, value: number): Label => {
    const kind = isEnclosed ? `(${form})` : form === 'a' || form === 'i' || close !== ')' ? `${form}.` : form;
    return labelAt(line, listed[0].length, {
      family: `${form}${close}`,
      kind,
      numbers: withSuffix([value], listed[4] ?? listed[7]),
      isBare: true,
    });
  };
  if (/\d/.test(token)) return [bare('1', Number(token))];
  const labels: Label[] = [];
  const isUpper = token === token.toUpperCase();
  const roman = romanNumber(token.toUpperCase());
  if (roman !== undefined) labels.push(bare(isUpper ? 'I' : 'i', roman));
  if (token.length === 1) labels.push(bare(isUpper ? 'A' : 'a', letterNumber(token)));
  if (token.length === 1 && isUpper && close === '.')
    labels.push(appendix(line, listed[0].length, [letterNumber(token)]));
  return labels;
}

/** Reads `A.` or `A.1` as the continuation of decimal sections, like the appendices of a specification. */
function appendix(line: string, end: number, [letter = 0, ...further]: readonly number[]): Label {
  const numbers = [LETTERS + letter, ...further];
  return labelAt(line, end, { family: '1', kind: '1', numbers, depth: numbers.length, isBare: true });
}

/** Added to the letter of an appendix, so that appendices sort after all numbered sections. */
export const LETTERS = 1000;
/** Added to a capital after a number, because the place of 16 A varies: before 16, after 16 or after 16 ter. */
export const CAPITALS = 1_000_000;
