import type { Chunker, Factory } from '../../../core/kit.ts';
import type manifest from './manifest.ts';
import type { RecursiveOptions } from './manifest.ts';
import { loadRecipes } from './recipes.ts';

const createRecursiveChunker: Factory<typeof manifest> = (tools): Chunker<RecursiveOptions> => {
  const findersOf = loadRecipes(tools);
  return {
    chunk(text, options, { divide }) {
      const { recipe, lang, delimiters, levels } = options;
      const own = delimiters.length > 0 ? [delimiters] : levels;
      const finders =
        own.length > 0 ? own.map((level) => tools.kit.cutAtDelimiters(level)) : findersOf(recipe, lang, text);
      return divide({ start: 0, end: text.length }, finders, {
        size: options.chunk_size,
        minCharacters: options.min_characters_per_chunk,
        overlap: options.chunk_overlap,
      });
    },
  };
};

export default createRecursiveChunker;
