import type { TokenizedText, Tokenizer } from '../../../core/contracts/tokenizer.ts';

/**
 * A model's tokenizer with a limit in mind. One token for unknown text may represent a whole sentence in a script that
 * the vocabulary lacks, so each letter of such a token counts as a token.
 */
export function countingUnknownText(tokenizer: Tokenizer): Tokenizer {
  const { encode, unknownId } = tokenizer;
  if (encode === undefined || unknownId === undefined) return tokenizer;
  const tokens = (text: string) => ({ ids: tokenizer.encode?.(text) as Uint32Array, unknownId });
  return {
    ...tokenizer,
    name: tokenizer.name,
    encode: (text) => tokenizer.encode?.(text) as Uint32Array,
    tokenize(text) {
      const whole = tokenizer.tokenize(text);
      if (!MAY_BE_UNKNOWN.test(text)) return whole;
      const splitEnds = (part: string, tokenized: TokenizedText) =>
        endsOf(part, tokenized.ends(), tokens(part));
      return {
        count(start, end) {
          const part = text.slice(start, end);
          if (!MAY_BE_UNKNOWN.test(part)) return whole.count(start, end);
          const { ids } = tokens(part);
          return ids.includes(unknownId) ? splitEnds(part, tokenizer.tokenize(part)).length : ids.length;
        },
        ends: () => splitEnds(text, whole),
      };
    },
  };
}

/** A letter with its marks; of the Latin script, whose words every vocabulary here has, only in words beyond any length. */
const LETTERS = /[\p{L}--\p{Script=Latin}]/gv;
const CHARACTERS = /\P{M}/gu;
const MAY_BE_UNKNOWN = /[\p{L}--\p{Script=Latin}]|\S{101}/v;
/** Tokenizers of models take longer words for unknown. */
const MAX_WORD = 100;

/** The ends of tokens, with those of the letters of unknown text. */
function endsOf(
  text: string,
  ends: Uint32Array,
  { ids, unknownId }: { readonly ids: Uint32Array; readonly unknownId: number },
): Uint32Array {
  const split: number[] = [];
  let start = 0;
  for (const [at, end] of ends.entries()) {
    if (ids[at] === unknownId) addLetterEnds(split, text.slice(start, end), start);
    split.push(end);
    start = end;
  }
  return Uint32Array.from(split);
}

/** Adds the ends of all letters but the last one, where the next one begins. */
function addLetterEnds(ends: number[], token: string, start: number): void {
  const letters = token.length > MAX_WORD ? CHARACTERS : LETTERS;
  let isFirst = true;
  for (const { index } of token.matchAll(letters)) {
    if (!isFirst) ends.push(start + index);
    isFirst = false;
  }
}
