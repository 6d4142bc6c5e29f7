/** Called with the hash of a part: an unsigned number of 32 bits. */
export type OnPart = (hash: number) => void;

/**
 * Runs of scripts that put no spaces between words, or whose words have many endings after a stem of few characters;
 * words of all other scripts; pictographs.
 */
const RUNS =
  /([\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー]+)|[[\p{L}\p{M}\p{N}]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー]]+|\p{Extended_Pictographic}/gv;

/** The same in texts so long that one word could overflow the stack of the expression: longer runs count as several. */
const SHORT_RUNS = new RegExp(RUNS.source.replaceAll(']+', ']{1,1000}'), RUNS.flags);
const LONG_TEXT = 100_000;

function runsOf(text: string) {
  return text.matchAll(text.length > LONG_TEXT ? SHORT_RUNS : RUNS);
}

/** Normalising sorts the marks of a character, in quadratic time; the Stream-Safe Text Format of UAX #15 limits them. */
const MANY_MARKS = /[\p{M}\uff9e\uff9f]{30}(?=[\p{M}\uff9e\uff9f])/gu;
const MIN_MARKED = 10_000;

function normalized(text: string): string {
  const limited = text.length < MIN_MARKED ? text : text.replace(MANY_MARKS, '$&\u034f');
  return limited.normalize('NFKC').toLowerCase();
}

/**
 * Reads the parts of a text: characters and pairs of them where words have no spaces between them, elsewhere words,
 * their beginnings, and the stretches of four characters in them. Upper case and compatible forms do not matter.
 */
export function forEachPart(text: string, onPart: OnPart): void {
  for (const [run, dense] of runsOf(normalized(text))) {
    if (dense === undefined) readWord(run, onPart);
    else readPairs(run, onPart);
  }
}

function readPairs(run: string, onPart: OnPart): void {
  let [before, whole, found] = [0, SEED, false];
  const give = (hash: number) => {
    found = true;
    onPart(mixed(hash));
  };
  for (const character of run) {
    const code = character.codePointAt(0) as number;
    if (code >= FIRST_IDEOGRAPH) give(step(SEED, code));
    if (before > 0 && !(isHiragana(before) && isHiragana(code))) give(step(step(SEED, before), code));
    before = code;
    whole = step(whole, code);
  }
  if (!found) give(whole);
}

/** From here on, a character means something by itself. */
const FIRST_IDEOGRAPH = 0x3400;

/** Two in a row are an ending, or a particle. */
const isHiragana = (code: number): boolean => code >= 0x3040 && code < 0x30a0;

/** Stands for both edges of a word. */
const EDGE = 1;

const BEGINNING = 5;
const STRETCH = 4;

function readWord(word: string, onPart: OnPart): void {
  let whole = step(SEED, EDGE);
  for (let at = 0; at < word.length; at++) {
    whole = step(whole, word.charCodeAt(at));
    if (at === BEGINNING - 1 && word.length > BEGINNING) onPart(mixed(whole));
  }
  onPart(mixed(step(whole, EDGE)));
  if (word.length < STRETCH - 1) return;
  for (let at = -1; at + STRETCH <= word.length + 1; at++) {
    let hash = SEED;
    for (let next = at; next < at + STRETCH; next++) hash = step(hash, codeAt(word, next));
    onPart(mixed(hash));
  }
}

const codeAt = (word: string, at: number): number =>
  at < 0 || at >= word.length ? EDGE : word.charCodeAt(at);

/** FNV-1a, a character at a time. */
const SEED = 0x811c9dc5;
const step = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193);

/** Mixes the bits of a hash so that each depends on all. */
function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

const OTHER_SCRIPT = /[\p{L}--\p{sc=Latin}]/v;
/** Units outside the blocks that have no such letter: Latin letters, punctuation, symbols, emoji. They are found sooner. */
const OTHER_UNIT =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: these are ranges of units, not of characters.
  /[\xb5\u02b9-\u1dff\u1f00-\u1fff\u2070-\u209f\u20d0-\u218f\u2c00-\ud83b\ud840-\udbff\ue000-\ufdff\ufe70-\uffff]/;

/** Share of a text's words that are not in Latin letters; a character of a script without spaces is a word. */
export function shareOfOtherScripts(text: string): number {
  if (!OTHER_UNIT.test(text) || !OTHER_SCRIPT.test(text)) return 0;
  let [other, all] = [0, 0];
  for (const [run, dense] of runsOf(text)) {
    const words = dense === undefined ? 1 : dense.length;
    all += words;
    if (dense !== undefined || OTHER_SCRIPT.test(run)) other += words;
  }
  return all === 0 ? 0 : other / all;
}
