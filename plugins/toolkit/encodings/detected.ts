const ENCODINGS = `
  windows-1252 windows-1250 windows-1251 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258
  iso-8859-2 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-13 iso-8859-15
  koi8-r koi8-u ibm866 macroman maccyrillic cp874 gb18030 big5 shift_jis euc-jp cp949
`
  .trim()
  .split(/\s+/);

const LABELS: Readonly<Record<string, string>> = {
  macroman: 'macintosh',
  maccyrillic: 'x-mac-cyrillic',
  cp874: 'windows-874',
  cp949: 'euc-kr',
};

const SAMPLE = 8 * 1024;
const MAX_TRIED = 8;
/** A guess is tried only if its score is at least this share of the best score. */
const MIN_SHARE = 1 / 3;
/** Maximum bytes before the first non-ASCII byte of a line in the sample. */
const MAX_BEFORE = 1024;
const LINE_FEED = 0x0a;

/** From few accented words, the detector may guess any encoding. Nearly all such files have this encoding. */
const USUAL = 'windows-1252';
const USUAL_BONUS = 0.02;
/** Encodings that the detector hardly distinguishes from the far more common Windows encodings. */
const OUTDATED = /^(macintosh|x-mac-cyrillic)$/;
const OUTDATED_FACTOR = 0.85;
/** A word that mixes letters of two alphabets, such as `cafι`, indicates a wrong guess. */
const OTHER = String.raw`[\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Thai}]`;
const WORD = new RegExp(`${OTHER}+`, 'gu');
const CHANGE = new RegExp(String.raw`(?<=\p{sc=Latin})${OTHER}|${OTHER}(?=\p{sc=Latin})`, 'gu');
const MIXED_FACTOR = 0.1;

/** The function of the package jschardet that guesses encodings. */
export type DetectAll = (
  bytes: Uint8Array,
  options: { readonly detectEncodings: string[]; readonly minimumThreshold: number },
) => readonly { readonly encoding: string | null; readonly confidence: number }[];

export interface Guess {
  readonly label: string;
  /** From 0 to 1: the share of its score in that of this and the best other guess, so 0.5 if both fit alike. Few letters give no certainty. */
  readonly confidence: number;
}

/** Possible encodings of bytes that are not valid UTF-8, most likely first. */
export function guessesOf(bytes: Uint8Array, detectAll: DetectAll): Guess[] {
  const sample = sampleOf(bytes);
  const guesses = detectAll(sample, { detectEncodings: ENCODINGS, minimumThreshold: 0 });
  const scores = new Map<string, number>([[USUAL, USUAL_BONUS]]);
  for (const { encoding, confidence } of guesses) {
    const name = (encoding ?? '').toLowerCase();
    if (!ENCODINGS.includes(name)) continue;
    const label = LABELS[name] ?? name;
    const score = confidence * factorOf(label, sample) + (label === USUAL ? USUAL_BONUS : 0);
    scores.set(label, Math.max(scores.get(label) ?? 0, score));
  }
  const ranked = [...scores].sort(([, one], [, other]) => other - one);
  const [[, best] = [USUAL, USUAL_BONUS]] = ranked;
  const near = ranked.filter(([, score]) => score >= best * MIN_SHARE).slice(0, MAX_TRIED);
  const most = 1 - 1 / (sample.reduce((count, byte) => count + (byte > 0x7f ? 1 : 0), 0) + 1);
  const texts = near.map(([label]) => new TextDecoder(label).decode(sample));
  return near.map(([label, score], at) => {
    const [, other = 0] = near.find((_, index) => texts[index] !== texts[at]) ?? [];
    return { label, confidence: Math.min(score / (score + other), most, MAX_CONFIDENCE) };
  });
}

const MAX_CONFIDENCE = 0.99;

function factorOf(label: string, sample: Uint8Array): number {
  const text = new TextDecoder(label).decode(sample);
  const words = text.match(WORD)?.length ?? 0;
  const changes = text.match(CHANGE)?.length ?? 0;
  return (changes > words / 2 ? MIXED_FACTOR : 1) * (OUTDATED.test(label) ? OUTDATED_FACTOR : 1);
}

/** Returns a short file whole, otherwise its lines with non-ASCII bytes, without long ASCII beginnings. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= SAMPLE) return bytes;
  const sample = new Uint8Array(SAMPLE);
  let size = 0;
  let at = 0;
  while (at < bytes.length && size < SAMPLE) {
    if ((bytes[at] as number) <= 0x7f) {
      at++;
      continue;
    }
    const before = bytes.subarray(Math.max(at - MAX_BEFORE, 0), at);
    const start = at - before.length + before.lastIndexOf(LINE_FEED) + 1;
    const lineEnd = bytes.indexOf(LINE_FEED, at) + 1;
    at = lineEnd === 0 ? bytes.length : lineEnd;
    const line = bytes.subarray(start, Math.min(at, start + SAMPLE - size));
    sample.set(line, size);
    size += line.length;
  }
  return sample.subarray(0, size);
}
