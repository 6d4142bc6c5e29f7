import { SemanticChunker } from '@chonkiejs/core';
import type { EmbeddingModel } from '../../../core/contracts/embedding.ts';
import type { Tokenizer } from '../../../core/contracts/tokenizer.ts';
import { signal } from './ours.ts';
import { createPlainFunction } from './plain.ts';

/** The semantic chunker of another library, with our model. */
export interface Peer {
  readonly name: string;
  split(text: string): Promise<unknown[]>;
}

/**
 * chonkiejs counts characters, or the tokens of the model as our chunker does. It embeds with our own
 * function, or with one that gives the same vectors and is made of other packages.
 */
export async function createPeers(model: EmbeddingModel, samples: string[]): Promise<Peer[]> {
  const ours: Embed = (texts) => embedRows(model, texts);
  return [
    await chonkie('chonkiejs Semantic, our function, characters', ours),
    await chonkie(
      "chonkiejs Semantic, our function, the model's tokens",
      ours,
      counterOf(await model.tokenizer()),
    ),
    await chonkie(
      'chonkiejs Semantic, a plain function, characters',
      await createPlainFunction(model, samples),
    ),
  ];
}

type Embed = (texts: string[]) => Promise<number[][]>;

async function chonkie(name: string, embeddings: Embed, tokenizer?: object): Promise<Peer> {
  const chunker = await SemanticChunker.create({
    embeddings,
    threshold: 0.5,
    chunkSize: 512,
    similarityWindow: 3,
    minCharactersPerSentence: 12,
    ...(tokenizer === undefined ? {} : { tokenizer: tokenizer as never }),
  });
  return {
    name,
    async split(text) {
      const chunks = await chunker.chunk(text);
      return chunks.map(({ text, startIndex, endIndex, tokenCount }) => ({
        text,
        start_index: startIndex,
        end_index: endIndex,
        token_count: tokenCount,
      }));
    },
  };
}

/** Rows as views, not copies: the library only reads them by index. */
async function embedRows(model: EmbeddingModel, texts: string[]): Promise<number[][]> {
  const { dimensions, values } = await model.embed(texts, { purpose: 'similarity', signal });
  return texts.map((_, row) =>
    values.subarray(row * dimensions, (row + 1) * dimensions),
  ) as unknown as number[][];
}

function counterOf(tokenizer: Tokenizer): object {
  return { countTokens: (text: string) => tokenizer.tokenize(text).count(0, text.length) };
}
