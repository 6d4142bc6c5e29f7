/**
 * Marks of all scripts that end a sentence or a clause, whatever follows: Unicode's Sentence_Terminal and
 * Terminal_Punctuation beyond ASCII. Added are the Tibetan marks and the Greek question mark for sentences, the
 * Burmese U+104A and the Armenian U+2024 for clauses. `.`, `!` and `?` are excluded: they need white space.
 */
const SENTENCE: Readonly<Record<string, string>> = {
  Chinese: '\u3002\uff01\uff1f\uff61\uff0e\ufe12\ufe15\ufe16\ufe52\ufe56\ufe57',
  Indic: '\u0964\u0965',
  Arabic: '\u061f\u06d4\u061d\u061e',
  Burmese: '\u104b',
  Armenian: '\u0589',
  Ethiopic: '\u1362\u1367\u1368',
  Khmer: '\u17d4\u17d5',
  Tibetan: '\u0f0d\u0f0e\u0f0f\u0f10\u0f11',
  Greek: '\u037e',
  common: '\u203c\u203d\u2047\u2048\u2049\u2e2e\u2e3c\u2e53\u2e54',
  Mongolian: '\u1803\u1809',
  Canadian: '\u166e',
  Syriac: '\u0700\u0701\u0702',
  NKo: '\u07f9',
  Samaritan: '\u0837\u0839\u083d\u083e',
  Philippine: '\u1735\u1736',
  Limbu: '\u1944\u1945',
  TaiTham: '\u1aa8\u1aa9\u1aaa\u1aab',
  Balinese: '\u1b5a\u1b5b\u1b5e\u1b5f\u1b4e\u1b4f\u1b7d\u1b7e\u1b7f',
  Lepcha: '\u1c3b\u1c3c',
  OlChiki: '\u1c7e\u1c7f',
  Coptic: '\u2cf9\u2cfa\u2cfb',
  Lisu: '\ua4ff',
  Vai: '\ua60e\ua60f',
  Bamum: '\ua6f3\ua6f7',
  PhagsPa: '\ua876\ua877',
  Saurashtra: '\ua8ce\ua8cf',
  KayahLi: '\ua92f',
  Javanese: '\ua9c8\ua9c9',
  Cham: '\uaa5d\uaa5e\uaa5f',
  Meetei: '\uaaf0\uaaf1\uabeb',
};

/** Sentence marks beyond the basic plane. `findSentences` does not know these. */
const RARE_SENTENCE =
  '\u{11141}\u{11142}\u{11143}\u{11047}\u{11048}\u{110be}\u{110bf}\u{110c0}\u{110c1}\u{111c5}\u{111c6}\u{111cd}\u{111de}\u{111df}\u{11238}\u{11239}\u{1123b}\u{1123c}\u{112a9}\u{113d4}\u{113d5}\u{1144b}\u{1144c}\u{115c2}\u{115c3}\u{115c9}\u{115ca}\u{115cb}\u{115cc}\u{115cd}\u{115ce}\u{115cf}\u{115d0}\u{115d1}\u{115d2}\u{115d3}\u{115d4}\u{115d5}\u{115d6}\u{115d7}\u{11641}\u{11642}\u{1173c}\u{1173d}\u{1173e}\u{11944}\u{11946}\u{11a42}\u{11a43}\u{11a9b}\u{11a9c}\u{11c41}\u{11c42}\u{11ef7}\u{11ef8}\u{11f43}\u{11f44}\u{16a6e}\u{16a6f}\u{16af5}\u{16b37}\u{16b38}\u{16b44}\u{16d6e}\u{16d6f}\u{16e98}\u{1bc9f}\u{1da88}\u{10a56}\u{10a57}\u{10f55}\u{10f56}\u{10f57}\u{10f58}\u{10f59}\u{10f86}\u{10f87}\u{10f88}\u{10f89}';

const CLAUSE: Readonly<Record<string, string>> = {
  Chinese: '\uff0c\u3001\uff1b\uff1a\uff64\ufe50\ufe51\ufe54\ufe55',
  Arabic: '\u060c\u061b',
  Burmese: '\u104a',
  Armenian: '\u055d\u2024',
  Ethiopic: '\u1363\u1364\u1365\u1366',
  Greek: '\u0387',
  Khmer: '\u17d6',
  Hebrew: '\u05c3',
  Mongolian: '\u1802\u1804\u1805\u1808',
  NKo: '\u07f8',
  Syriac: '\u0703\u0704\u0705\u0706\u0707\u0708\u0709\u070a\u070c',
  Adlam: '\u2e41',
  Balinese: '\u1b5d',
  Lisu: '\ua4fe',
  Vai: '\ua60d',
  Bamum: '\ua6f4\ua6f5\ua6f6',
  Javanese: '\ua9c7',
};

/** Ends of sentences in the basic plane, one unit each, with the most frequent scripts first. */
export const SENTENCE_MARKS: readonly string[] = [...Object.values(SENTENCE).join('')];

export const ALL_SENTENCE_MARKS: readonly string[] = [...SENTENCE_MARKS, ...RARE_SENTENCE];

export const CLAUSE_MARKS: readonly string[] = [...Object.values(CLAUSE).join('')];
