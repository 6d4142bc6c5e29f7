import type { Chunker } from '../../../core/contracts/chunker.ts';
import type { Factory } from '../../../core/contracts/plugin.ts';
import type manifest from './manifest.ts';
import type { RecursiveOptions } from './manifest.ts';
import { loadRecipes } from './recipes.ts';

const createRecursiveChunker: Factory<typeof manifest> = (tools): Chunker<RecursiveOptions> => {
  const recipes = loadRecipes(tools);
  return {
    chunk: (text, { recipe, lang, chunk_size, min_characters_per_chunk }, { divide }) =>
      divide({ start: 0, end: text.length }, recipes.finders(recipe, lang, text), {
        size: chunk_size,
        minCharacters: min_characters_per_chunk,
      }),
  };
};

export default createRecursiveChunker;
