import type { Refinery } from '../../../core/contracts/refinery.ts';
import type { EmbeddingsOptions } from './manifest.ts';

export default function createEmbeddingsRefinery(): Refinery<EmbeddingsOptions, 'embedding'> {
  return {
    async refine(chunks, _options, { model, signal }) {
      if (chunks.length === 0) return [];
      const texts = chunks.map(({ text }) => text);
      const { dimensions, values } = await model.embed(texts, { purpose: 'document', signal });
      return chunks.map((chunk, index) => ({
        ...chunk,
        embedding: values.subarray(index * dimensions, (index + 1) * dimensions),
      }));
    },
  };
}
