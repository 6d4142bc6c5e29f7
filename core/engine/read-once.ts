import type { TokenizedText } from '../contracts/tokenizer.ts';
import { keepOptimised } from './keep-optimised.ts';

/** The same text, whose ends are found once: a chunker may ask for them for every stretch of it. */
export class ReadOnce implements TokenizedText {
  readonly #tokens: TokenizedText;
  #ends: Uint32Array | undefined;

  constructor(tokens: TokenizedText) {
    this.#tokens = tokens;
  }

  count(start: number, end: number): number {
    return this.#tokens.count(start, end);
  }

  ends(): Uint32Array {
    this.#ends ??= this.#tokens.ends();
    return this.#ends;
  }
}

keepOptimised(new ReadOnce({ count: () => 0, ends: () => new Uint32Array(0) }));
