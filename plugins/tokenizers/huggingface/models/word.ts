/** The tokens of a text or of a word. */
export interface Tokens {
  /**
   * End of every token, as a rising offset into the text. Text that no token covers belongs to the next one; the last
   * end can be less than the length of the text.
   */
  readonly ends: readonly number[];
  readonly ids: readonly number[];
}

/** One word as a model reads it. */
export interface Word extends Tokens {
  /** Whether the first token is the unknown token. */
  readonly startsUnknown: boolean;
  /** Whether the last token is the unknown token. */
  readonly endsUnknown: boolean;
}

/** The last stage of a tokenizer: reads the words that the earlier stages cut. */
export interface WordModel {
  read(word: string): Word;
  /** Whether consecutive unknown tokens are one, also across the boundaries of words. */
  readonly fusesUnknown: boolean;
  /**
   * Whether a word can be cut before each run of `▁` that follows another character, with the same resulting tokens.
   */
  readonly cutsAtMetaspace: boolean;
}

/** Whether a token contains a `▁` after another character. */
export const hasInnerMetaspace = (token: string): boolean => /[^▁]▁/.test(token);

/** The id of a token missing from the vocabulary; higher than any id of its own. */
export const NO_ID = 2 ** 32 - 1;

/** Collects the tokens of one word. */
export interface WordBuilder {
  add(end: number, id: number | undefined, isUnknown: boolean): void;
  word(): Word;
}

export function createWordBuilder(fusesUnknown: boolean): WordBuilder {
  const ends: number[] = [];
  const ids: number[] = [];
  let startsUnknown = false;
  let endsUnknown = false;
  return {
    add(end: number, id: number | undefined, isUnknown: boolean): void {
      if (ends.length === 0) startsUnknown = isUnknown;
      if (fusesUnknown && isUnknown && endsUnknown) ends[ends.length - 1] = end;
      else {
        ends.push(end);
        ids.push(id ?? NO_ID);
      }
      endsUnknown = isUnknown;
    },
    word: (): Word => ({ ends, ids, startsUnknown, endsUnknown }),
  };
}
