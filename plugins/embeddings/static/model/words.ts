import type { Tokenizer } from '../../../../core/kit.ts';
import type { TableShape } from '../table/table.ts';

export type EncodingTokenizer = Tokenizer & Required<Pick<Tokenizer, 'encode'>>;

/** Whether a text has a token with a letter or digit that the model has a row for. @param ids of the text */
export type WordFinder = (text: string, ids: Uint32Array) => boolean;

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

const [UNSEEN, WORD, NO_WORD] = [0, 1, 2];

/**
 * The kind of a token is determined from the first text that needs it: one without a token that is known to be a word.
 * Most texts are read only to their first word.
 */
export function createWordFinder(
  tokenizer: EncodingTokenizer,
  { tokens, unknownId }: TableShape,
): WordFinder {
  const kinds = new Uint8Array(tokens);
  if (unknownId !== undefined && unknownId < tokens) kinds[unknownId] = NO_WORD;

  function learn(text: string, ids: Uint32Array): boolean {
    const ends = tokenizer.tokenize(text).ends();
    let found = false;
    for (const [at, id] of ids.entries()) {
      if (kinds[id] !== UNSEEN) continue;
      const token = text.slice(at === 0 ? 0 : ends[at - 1], ends[at]);
      const isWord = LETTER_OR_DIGIT.test(token);
      kinds[id] = isWord ? WORD : NO_WORD;
      found ||= isWord;
    }
    return found;
  }

  return (text, ids) => {
    let hasUnseen = false;
    for (let at = 0; at < ids.length; at++) {
      const kind = kinds[ids[at] as number];
      if (kind === WORD) return true;
      if (kind === UNSEEN) hasUnseen = true;
    }
    return hasUnseen && learn(text, ids);
  };
}
