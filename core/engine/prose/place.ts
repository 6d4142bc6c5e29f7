import type { Lexicon } from './abbreviations.ts';
import type { Marks } from './marks.ts';

/** A text whose sentences are looked for. */
export interface Prose {
  readonly text: string;
  /** The class of every UTF-16 unit. */
  readonly classes: Uint8Array;
  readonly lexicon: Lexicon;
}

/** A place where a sentence may end. */
export interface Place extends Marks {
  /** Where the sentence began. */
  readonly sentence: number;
  /** The first unit after white space, quotation marks and brackets, and its class. */
  readonly next: number;
  readonly nextClass: number;
}
