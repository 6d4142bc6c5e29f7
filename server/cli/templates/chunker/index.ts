import { type Chunker, cutAtDelimiters, cutAtWhiteSpace } from 'chunksmith/kit';

interface Options {
  readonly chunk_size: number;
  readonly mark: string;
}

// Called once per thread, at first use. Import packages here, and list them in `needs.packages`.
export default function createChunker(): Chunker<Options> {
  return {
    // Options are validated and complete. Return spans { start, end } of the text, in UTF-16 units as in JavaScript;
    // the server slices the text, counts tokens and converts offsets.
    chunk(text, { chunk_size, mark }, { divide }) {
      const cutBehindMarks = cutAtDelimiters([mark]);
      // Cuts at the marks; what is still too large is cut at lines, then at words, and finally between tokens.
      const finders = [cutBehindMarks, cutAtDelimiters(['\n']), cutAtWhiteSpace];
      return divide({ start: 0, end: text.length }, finders, { size: chunk_size });
    },
  };
}
