import { keepOptimised } from '../../../../core/kit.ts';

export interface Tokens {
  /** End offsets of the tokens, ascending. Text that yields no token belongs to the next token. */
  readonly ends: readonly number[];
  readonly ids: readonly number[];
}

export interface Word extends Tokens {
  readonly startsUnknown: boolean;
  readonly endsUnknown: boolean;
}

/** The last stage of a tokenizer: turns a word from the earlier stages into tokens. */
export interface WordModel {
  read(word: string): Word;
  /** Whether consecutive unknown tokens become one token, even across words. */
  readonly fusesUnknown: boolean;
  /** Whether a word can be cut before each inner run of `▁` without changing its tokens. */
  readonly cutsAtMetaspace: boolean;
}

export const hasInnerMetaspace = (token: string): boolean => /[^▁]▁/.test(token);

/** The id of a token that the vocabulary lacks; higher than all other ids. */
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
