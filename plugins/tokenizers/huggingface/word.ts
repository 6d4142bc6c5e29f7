/** One word as a model reads it. */
export interface Word {
  /** End of every token, as an offset into the word. What no token covers belongs to the next one. */
  readonly ends: readonly number[];
  /** The id of every token. */
  readonly ids: readonly number[];
  /** Whether the first token is the unknown token. */
  readonly startsUnknown: boolean;
  /** Whether the last token is the unknown token. */
  readonly endsUnknown: boolean;
}

/** The last stage of a tokenizer: reads words that the stages before it have cut. */
export interface Model {
  read(word: string): Word;
  /** Whether unknown tokens that follow each other are one, over the edges of words too. */
  readonly fusesUnknown: boolean;
  /**
   * Whether a word can be cut before each run of `▁` that follows another character, with the same
   * tokens as a result.
   */
  readonly cutsAtMetaspace: boolean;
}

/** Whether a token holds a `▁` after another character. */
export const hasInnerMetaspace = (token: string): boolean => /[^▁]▁/.test(token);

/** The id of a token that the vocabulary does not have; none of its own can be as high. */
export const NO_ID = 2 ** 32 - 1;

/** Gathers the tokens of one word. */
export function createWordBuilder(fusesUnknown: boolean) {
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
