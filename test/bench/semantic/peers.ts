import { SemanticChunker } from '@chonkiejs/core';
import type { EmbeddingModel } from '../../../core/contracts/embedding.ts';
import { signal } from '../race/ours.ts';
import { chonkie, type Peer } from '../race/peers.ts';

/**
 * The semantic chunker of chonkiejs, with the vectors of our model: it counts characters, or the tokens of the model as our
 * chunker does.
 */
export async function createPeers(model: EmbeddingModel): Promise<Peer[]> {
  const tokenizer = await model.tokenizer();
  const countTokens = (text: string) => tokenizer.tokenize(text).count(0, text.length);
  const options = {
    // Rows as views, not copies: the library only reads them by index.
    async embeddings(texts: string[]): Promise<number[][]> {
      const { dimensions, values } = await model.embed(texts, { purpose: 'similarity', signal });
      const rowOf = (row: number) => values.subarray(row * dimensions, (row + 1) * dimensions);
      return texts.map((_, row) => rowOf(row)) as unknown as number[][];
    },
    threshold: 0.5,
    chunkSize: 512,
    similarityWindow: 3,
    minCharactersPerSentence: 12,
  };
  const counted = { ...options, tokenizer: { countTokens } as never };
  return [
    chonkie('Semantic, characters', await SemanticChunker.create(options)),
    chonkie("Semantic, the model's tokens", await SemanticChunker.create(counted)),
  ];
}
