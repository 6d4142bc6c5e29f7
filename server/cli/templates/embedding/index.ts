import type { EmbeddingModel, EmbeddingProvider, Tokenizer, TokenizerProvider } from 'chunksmith/kit';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

interface Needs {
  readonly 'tokenizer/character': TokenizerProvider;
}

export default function createModels({ 'tokenizer/character': characters }: Needs): EmbeddingProvider {
  return {
    // Cheap, and without a download: it is called for lists and for the documentation.
    list: () => [{ name: 'my-plugin', dimensions: LETTERS.length, window: null }],
    // Opened once per thread, and shared by its requests. An unknown name is not an error here.
    async open(name) {
      if (name !== 'my-plugin') return undefined;
      const tokenizer = await characters.open('character');
      if (tokenizer === undefined) throw new Error('The tokenizer "character" is missing.');
      return createModel(tokenizer);
    },
  };
}

function createModel(tokenizer: Tokenizer): EmbeddingModel {
  return {
    name: 'my-plugin',
    // Memory that it takes in this thread.
    bytes: 0,
    // Counts chunk_size if a chunker uses this model.
    tokenizer: async () => tokenizer,
    // It reads any text to its end; a model with a limit has `{ tokens, count }` here.
    window: null,
    // One vector for each text, in their order, one after the other in one array.
    async embed(texts, { signal }) {
      const values = new Float32Array(texts.length * LETTERS.length);
      for (const [row, text] of texts.entries()) {
        signal.throwIfAborted();
        const counts = values.subarray(row * LETTERS.length, (row + 1) * LETTERS.length);
        for (const letter of text.toLowerCase()) {
          const column = LETTERS.indexOf(letter);
          if (column !== -1) counts[column] = (counts[column] ?? 0) + 1;
        }
      }
      return { dimensions: LETTERS.length, values };
    },
  };
}
