import type { Chunk } from '../../../core/contracts/chunk.ts';
import type { RefineTools } from '../../../core/contracts/refinery.ts';
import type { Tokenizer } from '../../../core/contracts/tokenizer.ts';
import { joinChunks, LENGTHS } from '../../../server/engine/stages/refining.ts';
import { isHere } from '../../support/here.ts';
import { never } from '../../support/hosted-host.ts';
import { composeQuietly } from '../../support/service.ts';

/** What tests share that call a refinery itself. */

const { openers } = await composeQuietly();
export const character = await openers.tokenizer('character');
/** One whose tokens are of several letters; tests that need its very tokens say so. */
export const cl100k = isHere('tokenizer/tiktoken') ? await openers.tokenizer('cl100k_base') : character;
export const TOKENIZERS: ReadonlySet<Tokenizer> = new Set([character, cl100k]);

export const countOf = (tokenizer: Tokenizer, text: string) => tokenizer.tokenize(text).count(0, text.length);

/** A tokenizer that counts the units that it is made to read, and those of the texts that it opens, each with its end. */
export function watch(tokenizer: Tokenizer) {
  const seen = { opened: 0, read: 0 };
  const watched: Tokenizer = {
    name: tokenizer.name,
    tokenize(text) {
      const tokens = tokenizer.tokenize(text);
      seen.opened += text.length + 1;
      return {
        count(start, end) {
          seen.read += end - start;
          return tokens.count(start, end);
        },
        ends() {
          seen.read += text.length;
          return tokens.ends();
        },
      };
    },
  };
  return { watched, seen };
}

/** Chunks of one text, one behind the other, whose tokens nobody has counted. */
export function chunksOf(texts: readonly string[], fields: object = {}): Chunk[] {
  let end_index = 0;
  return texts.map((text) => {
    const start_index = end_index;
    end_index += text.length;
    return { text, start_index, end_index, token_count: 1000, ...fields };
  });
}

export const join: RefineTools['join'] = (chunks, fields = {}) => joinChunks(chunks, fields, [LENGTHS.utf16]);

export const refuse = (): never => {
  throw new Error('not asked for');
};

/** What a refinery is given that makes no parts. */
export const TOOLS = {
  tokenizer: character,
  document: {},
  surround: refuse,
  part: refuse,
  join,
  report() {},
  signal: never,
};
