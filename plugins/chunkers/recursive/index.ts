import type { Chunker } from '../../../core/contracts.ts';
import type { RecursiveOptions } from './manifest.ts';
import { loadRecipes } from './recipes.ts';

export default function createRecursiveChunker(): Chunker<RecursiveOptions> {
  const recipes = loadRecipes();
  return {
    chunk: (text, { recipe, lang, chunk_size, min_characters_per_chunk }, { divide }) =>
      divide({ start: 0, end: text.length }, recipes.finders(recipe, lang), {
        size: chunk_size,
        minCharacters: min_characters_per_chunk,
      }),
  };
}
