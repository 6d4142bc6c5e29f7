/** Counts the tokens of texts. */
export interface Tokenizer {
  readonly name: string;
  tokenize(text: string): TokenizedText;
  /**
   * Token ids without special tokens, one per entry of `tokenize(text).ends()`. Only for models' tokenizers.
   */
  encode?(text: string): Uint32Array;
  /** Id of the token for unknown text, for tokenizers with `encode`. */
  readonly unknownId?: number | undefined;
  /** Special tokens: the ids that the model expects before and after the ids of a text. */
  readonly specialTokens?: { readonly prefix: readonly number[]; readonly suffix: readonly number[] };
}

/** The tokens of one text. */
export interface TokenizedText {
  /** The exact number of tokens of `text.slice(start, end)` by itself, in linear time at most. */
  count(start: number, end: number): number;
  /**
   * The end of every token of the text, in order; the last end is the length of the text. A token that ends inside a
   * code point gets the end of the code point, so ends may repeat. The list may be shared; do not change it.
   */
  ends(): Uint32Array;
  /** Optional: the `ends()` strictly between `start` and `end`, without reading the whole text. */
  endsWithin?(start: number, end: number): ArrayLike<number>;
}

/** Result of a tokenizer plugin's factory: opens tokenizers by name. */
export interface TokenizerProvider {
  /** Names that can be opened now, for error messages and documentation. */
  names(): readonly string[] | Promise<readonly string[]>;
  /** Aliases of tokenizers, each with its name in `names()`. */
  aliases?(): Readonly<Record<string, string>>;
  /** Opens a tokenizer; `undefined` for an unknown name. */
  open(name: string): Promise<Tokenizer | undefined>;
}
