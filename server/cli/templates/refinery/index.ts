import type { Refinery } from 'chunksmith/kit';

interface Options {
  readonly label: string;
}

// Called once per thread, at first use. Import packages here, and list them in `needs.packages`.
export default function createRefinery(): Refinery<Options, 'tokenizer'> {
  return {
    // Returns new chunks, the same number in the same order, with all their fields; the given ones must not be
    // changed.
    refine(chunks, { label }, { tokenizer, surround, signal }) {
      return chunks.map((chunk) => {
        // Ends early if the answer is no longer wanted.
        signal.throwIfAborted();
        const text = label + chunk.text;
        const token_count = tokenizer.tokenize(text).count(0, text.length);
        // Copies the chunk, with text around its own. Its offsets in the source stay the same.
        return surround(chunk, label, '', { token_count });
      });
    },
  };
}
