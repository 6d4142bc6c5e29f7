import type { Chunk } from '../../../core/contracts/chunk.ts';
import type { Refinery } from '../../../core/contracts/refinery.ts';
import type { EmbeddingsOptions } from './manifest.ts';

export default function createEmbeddingsRefinery(): Refinery<EmbeddingsOptions, 'embedding'> {
  return {
    async refine(chunks, { embed }, { model, signal }) {
      if (chunks.length === 0) return [];
      const texts = chunks.map(embed === 'text' ? ({ text }) => text : withContext);
      const { dimensions, values } = await model.embed(texts, { purpose: 'document', signal });
      return chunks.map((chunk, index) => ({
        ...chunk,
        embedding: values.subarray(index * dimensions, (index + 1) * dimensions),
      }));
    },
  };
}

/** What the `hash` of a chunk covers. */
function withContext({ text, context }: Chunk): string {
  return typeof context === 'string' && context !== '' ? `${context}\n${text}` : text;
}
