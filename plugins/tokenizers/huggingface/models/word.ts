import { keepOptimised } from '../../../../core/kit.ts';

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

/** A word whose tokens are added one by one. */
export class WordBuilder implements Word {
  readonly ends: number[] = [];
  readonly ids: number[] = [];
  startsUnknown = false;
  endsUnknown = false;
  readonly #fusesUnknown: boolean;

  constructor(fusesUnknown: boolean) {
    this.#fusesUnknown = fusesUnknown;
  }

  add(end: number, id: number | undefined, isUnknown: boolean): void {
    if (this.ends.length === 0) this.startsUnknown = isUnknown;
    if (this.#fusesUnknown && isUnknown && this.endsUnknown) this.ends[this.ends.length - 1] = end;
    else {
      this.ends.push(end);
      this.ids.push(id ?? NO_ID);
    }
    this.endsUnknown = isUnknown;
  }
}

keepOptimised(new WordBuilder(false));
