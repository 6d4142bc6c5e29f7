import { embeddedText, type Refinery } from '../../../core/kit.ts';
import type { EmbeddingsOptions } from './manifest.ts';

export default function createEmbeddingsRefinery(): Refinery<EmbeddingsOptions, 'embedding'> {
  return {
    async refine(chunks, { embed }, { model, signal }) {
      if (chunks.length === 0) return [];
      const texts = chunks.map(
        embed === 'text' ? ({ text }) => text : ({ text, context }) => embeddedText(text, context),
      );
      const { dimensions, values } = await model.embed(texts, { purpose: 'document', signal });
      return chunks.map((chunk, index) => ({
        ...chunk,
        embedding: values.subarray(index * dimensions, (index + 1) * dimensions),
      }));
    },
  };
}
