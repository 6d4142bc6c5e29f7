import type { Random } from '../../../../soak/tokenizer-shapes.ts';

const whiteSpace = [
  ...'\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2005\u200a\u2028\u2029\u202f\u205f\u3000',
  ...['\r\n', '\n\r', '\r\r\n', '\n\n', '  ', '\n ', ' \n', '    ', ' \t '],
];
const almostWhiteSpace = [...'\0\ufeff\u200b\u200d\u180e\u2060\x1f\x7f'];
const contractions = 's t re ve m ll d S T RE rE Ve VE M LL lL D'.split(' ');
const nearContractions = ['\u017f', 'r', 'v', 'l', 'R', 'x', 'ſt', 'l\u017f', 'K', 'es', '', "'"];
const surrogates = ['\ud800', '\udbff', '\udc00', '\udfff', '\ud83d', '\ude00', '\ude00\ud83d'];
const emoji = ['😀', '👍🏽', '👩‍👩‍👧‍👦', '🇫🇷', '❤️', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣', '🧑🏿‍🚀'];
const marks = [...'\u0300\u0301\u0308\u0483\u0591\u064b\u093e\u0e31\u20dd\ufe0f\u3099\u{1d165}\u{e0100}'];
const cased = [...'ǅǈǋǲᾈῼⅠⅰﬁßİıſK', '𝐀', '𝐚', '𐐀', '𐐨', 'ʰ', 'ª', 'ー', 'Ａ', 'ａ'];
const numbers = [...'0123456789²½Ⅷ٣७๙〇㊿', '𝟗', '𐄇', '12', '1234', '3.14', '1,000'];
const symbols = [
  ...'.,;:!?-_/\\|()[]{}<>@#$%^&*+=~`"\'«»…—€™©',
  ...['...', '//', '/\n', '\n/', '!\r\n/', '----', '====', "''"],
];
const words = 'the The THE iPhone McDonald HTTPServer a I Straße naïve e\u0301t\u0308'.split(' ');
const scripts = [
  ...'Привет ΑΒγδ مرحبا שלום नमस्ते สวัสดี ກຂຄ ქართული ᏣᎳᎩ አማርኛ 한국어 ខ្មែរ 日本語'.split(' '),
  ...'中文字 ひらがな カタカナ ꙮ 𠀀𠮷 𓀀 ﷺ Ⴀⴀ Ꭰꭰ ᲐაᲑბ'.split(' '),
];
const specialNames = ['endoftext', 'fim_prefix', 'endofprompt', 'im_start', 'start', 'message', 'end'];
const specialTexts = specialNames.map((name) => `<|${name}|>`);

const lists: readonly (readonly string[])[] = [
  ...[contractions, nearContractions].map((ends) => ends.map((end) => `'${end}`)),
  ...[whiteSpace, [' '], almostWhiteSpace, surrogates, emoji, marks, cased, numbers, symbols, scripts],
  ...[words, words.map((word) => ` ${word}`), specialTexts],
];
const atoms: readonly ((random: Random) => string)[] = [
  ...lists.map((list) => (random: Random) => pick(random, list)),
  randomLetters,
  (random) => String.fromCharCode(random(0x10000)),
  (random) => String.fromCodePoint(random(0x40000)),
  (random) => String.fromCharCode(random(0x250)),
];
const alphabet = [...'etaoinshrdluETAOINSHRDLUzqxj'];
const longRuns = [...' \n\taAé!-0中😀\u0301', '\r\n', "'s", 'aB', 'Ab', '\ud800'];

/** A text of a few dozen odd bits; one in fifty holds a long run. */
export function fuzzedText(random: Random): string {
  let text = '';
  for (let left = 1 + random(12); left > 0; left -= 1) text += atom(random);
  if (random(50) === 0) text += pick(random, longRuns).repeat(1 + random(400)) + atom(random);
  return text;
}

function atom(random: Random): string {
  const made = pick(random, atoms)(random);
  return random(8) === 0 ? made.repeat(1 + random(5)) : made;
}

function randomLetters(random: Random): string {
  return Array.from({ length: 1 + random(10) }, () => pick(random, alphabet)).join('');
}

export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random(items.length)] as Item;
}
