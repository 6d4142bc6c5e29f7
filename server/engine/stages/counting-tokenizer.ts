import type { EmbeddingModel } from '../../../core/contracts/embedding.ts';
import type { TokenizedText, Tokenizer } from '../../../core/contracts/tokenizer.ts';
import { createPointClasses } from '../../../core/engine/cuts/point-classes.ts';

/**
 * The tokenizer of a model, changed to count text that its vocabulary does not know. One unknown token may represent a whole sentence,
 * so that its letters count instead. Where a model reads texts of any length, letters that are tokens of their own
 * count by groups: a chunk then has about as much text in every language.
 */
export async function countingTokenizer(model: EmbeddingModel): Promise<Tokenizer> {
  const readsAll = model.window === null;
  const tokenizer = await model.tokenizer();
  const { encode, unknownId } = tokenizer;
  if (encode === undefined || unknownId === undefined) return tokenizer;
  const encoded = (text: string) => tokenizer.encode?.(text) as Uint32Array;
  const endsOf = (part: string, tokenized: TokenizedText, ids?: Uint32Array) => {
    let known = ids;
    const isUnknown = (token: number) => {
      known ??= encoded(part);
      return known[token] === unknownId;
    };
    return groupedEnds(part, tokenized.ends(), isUnknown, readsAll);
  };
  return {
    ...tokenizer,
    name: tokenizer.name,
    encode: encoded,
    tokenize(text) {
      const whole = tokenizer.tokenize(text);
      const hasLong = hasLongWord(text);
      const mayBeUnknown = (part: string) => hasLetter(part) || (hasLong && hasLongWord(part));
      if (!mayBeUnknown(text)) return whole;
      return {
        count(start, end) {
          const part = text.slice(start, end);
          if (!mayBeUnknown(part)) return whole.count(start, end);
          const ids = readsAll ? undefined : encoded(part);
          if (ids?.includes(unknownId) === false) return ids.length;
          return endsOf(part, tokenizer.tokenize(part), ids).length;
        },
        ends: () => Uint32Array.from(endsOf(text, whole)),
      };
    },
  };
}

/** Maximum characters of a word; tokenizers of models treat longer words as unknown. */
const MAX_WORD = 100;

/** What a character is. Letters are those of other scripts than Latin: vocabularies have all Latin words. */
const MARK = 1;
const SPACE = 2;
const OTHER = 3;
const LETTER = 4;
const SYLLABLE = 5;
const IDEOGRAPH = 6;

const classAt = createPointClasses((character) => {
  if (/\p{M}/u.test(character)) return MARK;
  if (/\s/.test(character)) return SPACE;
  if (!/[\p{L}--\p{Script=Latin}]/v.test(character)) return OTHER;
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(character)) return IDEOGRAPH;
  return /\p{Script=Hangul}/u.test(character) ? SYLLABLE : LETTER;
});

/** Shares of a token by class, in quarters. A token of English has about four letters; a syllable or an ideograph says more. */
const SHARES = Uint8Array.from({ length: IDEOGRAPH + 1 }, (_, type) =>
  type === LETTER ? 1 : type === SYLLABLE ? 2 : 4,
);
const FULL = 4;

/** Units that letters may have: a fast test before `classAt`. */
const BEYOND_LATIN = /[\xb5\u02b9-\uffff]/;

function hasLetter(text: string): boolean {
  return BEYOND_LATIN.test(text) && nextOf(LETTER, text, 0, text.length) < text.length;
}

function hasLongWord(text: string): boolean {
  let length = 0;
  for (let at = 0; at < text.length && length <= MAX_WORD; at++)
    length = classAt(text, at) === SPACE ? 0 : length + 1;
  return length > MAX_WORD;
}

/**
 * The ends of groups of letters, each of at most one token, and of all other tokens. All characters of a long unknown
 * word are letters.
 *
 * @param ends of the tokens of the vocabulary
 * @param areShared whether letters share a token
 */
function groupedEnds(
  text: string,
  ends: Uint32Array,
  isUnknown: (token: number) => boolean,
  areShared: boolean,
): number[] {
  const grouped: number[] = [];
  let filled = FULL;
  let start = 0;
  for (let token = 0; token < ends.length; token++) {
    const end = ends[token] as number;
    const least = end - start > MAX_WORD && isUnknown(token) ? SPACE : LETTER;
    let letter = nextOf(least, text, start, end);
    let next = nextOf(least, text, letter + 1, end);
    if (letter === end || (next < end && !isUnknown(token))) {
      grouped.push(end);
      filled = FULL;
    } else {
      for (let from = start; letter < end; ) {
        const share = areShared ? (SHARES[classAt(text, letter)] as number) : FULL;
        if (filled + share > FULL || hasSpace(text, from, letter)) filled = 0;
        if (filled > 0) grouped.pop();
        grouped.push(next);
        filled += share;
        from = letter + 1;
        letter = next;
        next = nextOf(least, text, letter + 1, end);
      }
    }
    start = end;
  }
  return grouped;
}

/** The first character of at least the class `least` from `from`; `end` if there is none. */
function nextOf(least: number, text: string, from: number, end: number): number {
  let at = from;
  while (at < end && classAt(text, at) < least) at++;
  return Math.min(at, end);
}

function hasSpace(text: string, from: number, end: number): boolean {
  for (let at = from; at < end; at++) if (classAt(text, at) === SPACE) return true;
  return false;
}
