import type { EmbeddingModel, EmbeddingProvider, Tokenizer, TokenizerProvider } from 'chunksmith/kit';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

interface Given {
  readonly 'tokenizer/character': TokenizerProvider;
}

export default function createModels({ 'tokenizer/character': characters }: Given): EmbeddingProvider {
  return {
    // Cheap, and without a download: it is asked for lists and for the documentation.
    list: () => [{ name: 'my-plugin', dimensions: LETTERS.length }],
    // Opened once in each thread, and shared by its requests. A name that it does not know is no error here.
    async open(name) {
      if (name !== 'my-plugin') return undefined;
      const tokenizer = await characters.open('character');
      if (tokenizer === undefined) throw new Error('The tokenizer "character" is not there.');
      return createModel(tokenizer);
    },
  };
}

function createModel(tokenizer: Tokenizer): EmbeddingModel {
  return {
    name: 'my-plugin',
    // Of memory that this thread takes for it.
    bytes: 0,
    // What chunk_size counts where a chunker uses this model.
    tokenizer: async () => tokenizer,
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
