import type { Chunker, Collaborators } from 'chunksmith/kit';

interface Options {
  readonly chunk_size: number;
  readonly mark: string;
}

// Called once in each thread, at the first use. Import packages in here, and list them in `needs.packages`.
export default function createChunker({ kit }: Collaborators): Chunker<Options> {
  return {
    // Options are checked and complete. What is returned are spans { start, end } of the text, in units of UTF-16 as in
    // JavaScript; the server slices the text, counts tokens and converts offsets.
    chunk(text, { chunk_size, mark }, { divide }) {
      const cutBehindMarks = kit.cutAtDelimiters([mark]);
      // Cuts at the marks, and what is still too large at lines, at words, and at last between tokens.
      const finders = [cutBehindMarks, kit.cutAtDelimiters(['\n']), kit.cutAtWhiteSpace];
      return divide({ start: 0, end: text.length }, finders, { size: chunk_size });
    },
  };
}
