import { pointAt, pointBefore, splitsCodePoint } from './cuts.ts';

/**
 * Grapheme clusters: sequences that readers see as one character, such as a letter with accents, a Devanagari
 * syllable or a family emoji. The rules are the extended clusters of Unicode Standard Annex #29.
 */

const OTHER = 0;
const CONTROL = 1;
/** Code points of the classes from `EXTEND` to `SPACING` are in the same cluster as the preceding code point. */
const EXTEND = 2;
const JOINER = 3;
/** A virama, which joins two consonants into a conjunct. */
const LINKER = 4;
/** Continues a cluster, but prevents a conjunct. */
const NON_JOINER = 5;
const SPACING = 6;
const PREPENDED = 7;
const REGIONAL = 8;
const PICTURE = 9;
const LEADING = 10;
const VOWEL = 11;
const TRAILING = 12;
const SYLLABLE = 13;
const CLOSED_SYLLABLE = 14;
const CONSONANT = 15;

const CONSONANTS =
  '\u0915-\u0939\u0958-\u095f\u0978-\u097f\u0995-\u09a8\u09aa-\u09b0\u09b2\u09b6-\u09b9\u09dc\u09dd\u09df\u09f0\u09f1\u0a95-\u0aa8\u0aaa-\u0ab0\u0ab2\u0ab3\u0ab5-\u0ab9\u0af9\u0b15-\u0b28\u0b2a-\u0b30\u0b32\u0b33\u0b35-\u0b39\u0b5c\u0b5d\u0b5f\u0b71\u0c15-\u0c28\u0c2a-\u0c39\u0c58-\u0c5a\u0d15-\u0d3a\u1000-\u102a\u103f\u1050-\u1055\u105a-\u105d\u1061\u1065\u1066\u106e-\u1070\u1075-\u1081\u108e\u1780-\u17b3\u1a20-\u1a54\u1b0b\u1b0c\u1b13-\u1b33\u1b45-\u1b4c\u1b83-\u1ba0\u1bae\u1baf\u1bbb-\u1bbd\ua989-\ua98b\ua98f-\ua9b2\ua9e0-\ua9e4\ua9e7-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa6f\uaa71-\uaa73\uaa7a\uaa7e\uaa7f\uaae0-\uaaea\uabc0-\uabda\u{10a00}\u{10a10}-\u{10a13}\u{10a15}-\u{10a17}\u{10a19}-\u{10a35}\u{11103}-\u{11126}\u{11144}\u{11147}\u{11380}-\u{11389}\u{1138b}\u{1138e}\u{11390}-\u{113b5}\u{11900}-\u{11906}\u{11909}\u{1190c}-\u{11913}\u{11915}\u{11916}\u{11918}-\u{1192f}\u{11a00}\u{11a0b}-\u{11a32}\u{11a50}\u{11a5c}-\u{11a83}\u{11f04}-\u{11f10}\u{11f12}-\u{11f33}';
const LINKERS =
  '\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d\u1039\u17d2\u1a60\u1b44\u1bab\ua9c0\uaaf6\u{10a3f}\u{11133}\u{113d0}\u{1193e}\u{11a47}\u{11a99}\u{11f42}';
const PREPENDING =
  '\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\u{110bd}\u{110cd}\u{111c2}\u{111c3}\u{113d1}\u{1193f}\u{11941}\u{11a84}-\u{11a89}\u{11d46}\u{11f02}';
/** Spacing marks that begin a new cluster, unlike other spacing marks. */
const APART =
  '\u102b\u102c\u1038\u1062-\u1064\u1067-\u106d\u1083\u1087-\u108c\u108f\u109a-\u109c\u1a61\u1a63\u1a64\uaa7b\uaa7d\u{11720}\u{11721}';

const CLASSES: readonly (readonly [type: number, pattern: RegExp])[] = [
  [CONTROL, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u2065\ufff0-\ufff8]/gu],
  [PREPENDED, new RegExp(`[${PREPENDING}]`, 'gu')],
  [SPACING, /[\p{Mc}\u0e33\u0eb3]/gu],
  [OTHER, new RegExp(`[${APART}]`, 'gu')],
  [CONSONANT, new RegExp(`[${CONSONANTS}]`, 'gu')],
  [REGIONAL, /\p{Regional_Indicator}/gu],
  [PICTURE, /\p{Extended_Pictographic}/gu],
  [LEADING, /[\u1100-\u115f\ua960-\ua97c]/gu],
  [VOWEL, /[\u1160-\u11a7\ud7b0-\ud7c6\u{16d63}\u{16d67}-\u{16d6a}]/gu],
  [TRAILING, /[\u11a8-\u11ff\ud7cb-\ud7fb]/gu],
  [CLOSED_SYLLABLE, /[\uac00-\ud7a3]/gu],
  [EXTEND, /[\p{Grapheme_Extend}\p{Emoji_Modifier}]/gu],
  [LINKER, new RegExp(`[${LINKERS}]`, 'gu')],
  [NON_JOINER, /\u200c/gu],
  [JOINER, /\u200d/gu],
];

/** Size of the table of classes: Unicode's planes 0 and 1. `classOf` compares higher code points with ranges. */
const POINTS = 0x20000;
const ROW = 0x1000;
const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
const TRAILING_FORMS = 28;

let classes: Uint8Array | undefined;

function classTable(): Uint8Array {
  classes ??= classify();
  return classes;
}

function classify(): Uint8Array {
  const made = new Uint8Array(POINTS);
  for (let from = 0; from < POINTS; from += ROW) classifyRow(made, from);
  for (let syllable = FIRST_SYLLABLE; syllable <= LAST_SYLLABLE; syllable += TRAILING_FORMS)
    made[syllable] = SYLLABLE;
  return made;
}

/** Skips surrogates, because they would form pairs in the joined string. */
function classifyRow(made: Uint8Array, from: number): void {
  const points = Array.from({ length: ROW }, (_, index) => from + index);
  const row = String.fromCodePoint(...points.filter((point) => point < 0xd800 || point > 0xdfff));
  const width = from > 0xffff ? 2 : 1;
  for (const [type, pattern] of CLASSES) {
    for (const { index } of row.matchAll(pattern)) made[from + index / width] = type;
  }
}

function classOf(point: number): number {
  if (point < POINTS) return classTable()[point] as number;
  if (point < 0xe0000 || point > 0xe0fff) return OTHER;
  const isTag = point >= 0xe0020 && point <= 0xe007f;
  return isTag || (point >= 0xe0100 && point <= 0xe01ef) ? EXTEND : CONTROL;
}

function pointStart(text: string, end: number): number {
  return end - (splitsCodePoint(text, end - 1) ? 2 : 1);
}

function classBefore(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return isSurrogate(unit) ? classOf(pointBefore(text, end)) : (classTable()[unit] as number);
}

function classAfter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return isSurrogate(unit) ? classOf(pointAt(text, at)) : (classTable()[unit] as number);
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800;
}

/** The last run of regional indicators, remembered so that each run is read only once. Two indicators form a flag. */
export interface FlagRun {
  start: number;
  end: number;
}

export function noFlags(): FlagRun {
  return { start: 0, end: 0 };
}

/** The lowest UTF-16 unit that can extend a cluster, except the line feed of CRLF. */
const FIRST_MARK = 0x300;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * Removes, in place, all cuts that are inside a cluster. The cuts must be rising. Takes linear time in the text.
 *
 * @param keepsPairs whether cuts inside CRLF are removed too
 */
export function removeCutsInClusters(
  cuts: number[],
  text: string,
  flags: FlagRun,
  keepsPairs: boolean,
): number[] {
  let kept = 0;
  for (let index = 0; index < cuts.length; index++) {
    const cut = cuts[index] as number;
    const before = text.charCodeAt(cut - 1);
    const after = text.charCodeAt(cut);
    const isWithin =
      before < FIRST_MARK && after < FIRST_MARK
        ? keepsPairs && after === LINE_FEED && before === CARRIAGE_RETURN
        : mayBeInCluster(before, after) && isInCluster(text, cut, flags);
    if (!isWithin) cuts[kept++] = cut;
  }
  cuts.length = kept;
  return cuts;
}

/** Quick check whether a cut may be inside a cluster: not if the units on both sides are plain letters or signs. */
function mayBeInCluster(before: number, after: number): boolean {
  const table = classTable();
  const isPlain = ((table[before] as number) | (table[after] as number)) === OTHER;
  return !isPlain || isSurrogate(before) || isSurrogate(after);
}

function isInCluster(text: string, at: number, flags: FlagRun): boolean {
  const after = classAfter(text, at);
  const before = classBefore(text, at);
  if (after + before === OTHER || after === CONTROL || before === CONTROL) return false;
  if ((after >= EXTEND && after <= SPACING) || before === PREPENDED) return true;
  switch (after) {
    case LEADING:
    case SYLLABLE:
    case CLOSED_SYLLABLE:
      return before === LEADING;
    case VOWEL:
      return before === LEADING || before === VOWEL || before === SYLLABLE;
    case TRAILING:
      return before >= VOWEL && before <= CLOSED_SYLLABLE;
    case PICTURE:
      return before === JOINER && endsPicture(text, at - 1);
    case CONSONANT:
      return before >= EXTEND && before <= LINKER && endsConsonant(text, at);
    case REGIONAL:
      return before === REGIONAL && isInFlag(text, at, flags);
    default:
      return false;
  }
}

function endsPicture(text: string, end: number): boolean {
  let at = end;
  while (at > 0) {
    const type = classBefore(text, at);
    if (type !== EXTEND && type !== LINKER && type !== NON_JOINER) return type === PICTURE;
    at = pointStart(text, at);
  }
  return false;
}

function endsConsonant(text: string, end: number): boolean {
  let isLinked = false;
  let at = end;
  while (at > 0) {
    const type = classBefore(text, at);
    if (type !== EXTEND && type !== JOINER && type !== LINKER) return isLinked && type === CONSONANT;
    isLinked ||= type === LINKER;
    at = pointStart(text, at);
  }
  return false;
}

const INDICATOR_UNITS = 2;

function isInFlag(text: string, at: number, flags: FlagRun): boolean {
  if (at <= flags.start || at > flags.end) {
    const floor = at > flags.end ? flags.end : 0;
    let start = at;
    while (start > floor && classBefore(text, start) === REGIONAL) start -= INDICATOR_UNITS;
    // If the backward search ends at `floor`, the remembered run continues and keeps its start.
    if (start > floor || floor === 0) flags.start = start;
    flags.end = at;
  }
  return ((at - flags.start) / INDICATOR_UNITS) % 2 === 1;
}
