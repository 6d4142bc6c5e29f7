/** Measures a stretch of text. */
export interface Tokenizer {
  readonly name: string;
  tokenize(text: string): TokenizedText;
  /**
   * Ids of the tokens of a text, without special tokens; as many as `tokenize(text).ends()`. Only tokenizers of
   * models have it.
   */
  encode?(text: string): Uint32Array;
  /** The id of the token for unknown text, if the tokenizer has one and `encode`. */
  readonly unknownId?: number | undefined;
  /** Special tokens: ids that the model expects before and after the ids of a text. */
  readonly specialTokens?: { readonly prefix: readonly number[]; readonly suffix: readonly number[] };
}

/** One text as a tokenizer reads it. */
export interface TokenizedText {
  /**
   * The exact number of tokens of `text.slice(start, end)` tokenized by itself. Takes at most time linear in the
   * span.
   */
  count(start: number, end: number): number;
  /**
   * The end of every token of the whole text, in order: offsets into the text, the last one being its length. A token
   * that ends inside a code point gets that code point's end, so offsets may repeat. The list may be shared and must
   * not be changed.
   */
  ends(): Uint32Array;
  /** The `ends()` after `start` and before `end`, found without reading the whole text. Few tokenizers have it. */
  endsWithin?(start: number, end: number): ArrayLike<number>;
}

/** What a tokenizer plugin's factory returns: it opens tokenizers by name. */
export interface TokenizerProvider {
  /** Names that can be opened now, for the list in an error and in the documentation. */
  names(): readonly string[] | Promise<readonly string[]>;
  /** Further names that can be opened, each with the name from `names()` that it is an alias of. */
  aliases?(): Readonly<Record<string, string>>;
  /** Opens a tokenizer; `undefined` if there is none with that name. */
  open(name: string): Promise<Tokenizer | undefined>;
}
