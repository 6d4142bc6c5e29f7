/** Counts the tokens of texts. */
export interface Tokenizer {
  readonly name: string;
  tokenize(text: string): TokenizedText;
  /** Returns token ids without special tokens, one id per token. Only tokenizers of models have this method. */
  encode?(text: string): Uint32Array;
  /** Id of the token for unknown text. Defined only together with `encode`. */
  readonly unknownId?: number | undefined;
  /** The special tokens that the model expects: ids before (`prefix`) and after (`suffix`) the ids of a text. */
  readonly specialTokens?: { readonly prefix: readonly number[]; readonly suffix: readonly number[] };
}

/** The tokens of one text. */
export interface TokenizedText {
  /** Counts exactly the tokens of `text.slice(start, end)` as a separate text. Takes at most linear time. */
  count(start: number, end: number): number;
  /**
   * The end of every token, in order. The last end is the length of the text. A token that ends inside a code point
   * has the end of the code point, so ends may repeat. Do not change the list: it may be shared.
   */
  ends(): Uint32Array;
  /** Optional: returns the `ends()` strictly between `start` and `end` without tokenizing the whole text. */
  endsWithin?(start: number, end: number): ArrayLike<number>;
}

/** Result of a tokenizer plugin's factory: opens tokenizers by name. */
export interface TokenizerProvider {
  /** Names that can be opened now, for error messages and documentation. */
  names(): readonly string[] | Promise<readonly string[]>;
  /** Maps aliases of tokenizers to their names in `names()`. */
  aliases?(): Readonly<Record<string, string>>;
  /** Opens a tokenizer; `undefined` for an unknown name. */
  open(name: string): Promise<Tokenizer | undefined>;
}
