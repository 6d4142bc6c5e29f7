import * as library from '@huggingface/tokenizers';
import type { Tokenizer } from '../../../../../core/contracts/tokenizer.ts';
import { packVocabulary } from '../../../../../plugins/tokenizers/huggingface/index.ts';
import type { Library } from '../../../../../plugins/tokenizers/huggingface/stages/library-stages.ts';
import { createTokenizer } from '../../../../../plugins/tokenizers/huggingface/tokenizer.ts';
import { parseTokenizerFile } from '../../../../../plugins/tokenizers/huggingface/tokenizer-file.ts';
import type { TokenizerJson } from '../../../../fixtures/tokenizers/tokenizer-files.ts';

interface Oracle {
  encode(text: string, options: { add_special_tokens: boolean }): { ids: number[]; tokens: string[] };
}
const { Tokenizer: LibraryTokenizer } = library as unknown as {
  Tokenizer: new (file: object, config: object) => Oracle;
};

/** The tokens and ids of the library itself, with added tokens that are special taken out of the file. */
export function createOracle(file: TokenizerJson) {
  const added_tokens = file.added_tokens.filter((token) => token.special !== true);
  const oracle = new LibraryTokenizer({ ...file, added_tokens, post_processor: null }, {});
  return (text: string) => oracle.encode(text, { add_special_tokens: false });
}

export function open(file: object, json = JSON.stringify(file)): Tokenizer {
  const read = parseTokenizerFile(packVocabulary(json) ?? json);
  return createTokenizer('small', read, library as unknown as Library);
}
