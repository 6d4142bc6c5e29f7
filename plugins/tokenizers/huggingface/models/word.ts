import { keepOptimised } from '../../../../core/kit.ts';

export interface Tokens {
  /** The end of every token, as a rising offset into the text. Text that no token covers belongs to the next token. */
  readonly ends: readonly number[];
  readonly ids: readonly number[];
}

export interface Word extends Tokens {
  readonly startsUnknown: boolean;
  readonly endsUnknown: boolean;
}

/** The last stage of a tokenizer, which reads the words that the earlier stages cut. */
export interface WordModel {
  read(word: string): Word;
  /** Whether consecutive unknown tokens are one, also across the boundaries of words. */
  readonly fusesUnknown: boolean;
  /** Whether cutting a word before each run of `▁` that follows another character gives the same tokens. */
  readonly cutsAtMetaspace: boolean;
}

export const hasInnerMetaspace = (token: string): boolean => /[^▁]▁/.test(token);

/** The id of a token that the vocabulary lacks; higher than any other id. */
export const NO_ID = 2 ** 32 - 1;

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
