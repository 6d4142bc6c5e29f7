import type { Refinery } from 'chunksmith/kit';

interface Options {
  readonly label: string;
}

// Called once in each thread, at the first use. Import packages in here, and list them in `needs.packages`.
export default function createRefinery(): Refinery<Options, 'tokenizer'> {
  return {
    // Returns new chunks, as many and in the same order, with all their fields; those that it is given stay as they are.
    refine(chunks, { label }, { tokenizer, surround, signal }) {
      return chunks.map((chunk) => {
        // Ends early if nobody waits for the answer any more.
        signal.throwIfAborted();
        const text = label + chunk.text;
        const token_count = tokenizer.tokenize(text).count(0, text.length);
        // Copies the chunk, with text around its own. Its place in the source stays.
        return surround(chunk, label, '', { token_count });
      });
    },
  };
}
