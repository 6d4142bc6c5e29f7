import fc from 'fast-check';
import type { Test } from 'tap';
import type { EmbeddingModel, EmbedRequest } from '../../../../../core/contracts/embedding.ts';
import type { Tokenizer } from '../../../../../core/contracts/tokenizer.ts';
import { chunkText } from '../../../../../core/engine/chunking.ts';
import createSemanticChunker from '../../../../../plugins/chunkers/semantic/index.ts';
import manifest from '../../../../../plugins/chunkers/semantic/manifest.ts';
import { collaborators } from '../../../../../server/testing/collaborators.ts';

/** Each unit of UTF-16 is a token. */
const units: Tokenizer = {
  name: 'units',
  tokenize: (text) => ({
    count: (start, end) => end - start,
    ends: () => Uint32Array.from(text, (_, index) => index + 1),
  }),
};

/** A model that gives each text the vector of a function, and keeps what it was asked. */
export function modelOf(vectorOf: (text: string) => readonly number[], more: Partial<EmbeddingModel> = {}) {
  const calls: (EmbedRequest & { readonly texts: readonly string[] })[] = [];
  const model: EmbeddingModel = {
    name: 'test',
    bytes: 0,
    tokenizer: async () => units,
    async embed(texts, request) {
      calls.push({ texts, ...request });
      const rows = texts.map(vectorOf);
      return { dimensions: rows[0]?.length ?? 0, values: Float32Array.from(rows.flat()) };
    },
    ...more,
  };
  return { model, calls };
}

/** The vector of the first letter; zero for those that have none. */
export const vectorsOf = (vectors: Readonly<Record<string, readonly number[]>>) => (text: string) =>
  vectors[text.charAt(0)] ?? [0, 0, 0];
/** A and B stand upright on each other. */
export const byLetter = vectorsOf({ A: [1, 0, 0], B: [0, 1, 0] });

export const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const DEFAULTS = Object.fromEntries(
  Object.entries(manifest.options.properties).map(([name, schema]) => [name, schema.default]),
);
/** Sentences of these tests are shorter than what is joined by default. */
const SHORT = { min_characters_per_sentence: 1, min_chunk_size: 0 };

export async function spansOf(
  model: EmbeddingModel,
  text: string,
  options: object = {},
  signal = new AbortController().signal,
) {
  const ready = { manifest, chunker: createSemanticChunker(collaborators()) as never };
  const given = { ...DEFAULTS, ...SHORT, ...options };
  return chunkText(ready, text, given, { tokenizer: units, model, report() {}, signal });
}

export async function textsOf(model: EmbeddingModel, text: string, options: object = {}): Promise<string[]> {
  return (await spansOf(model, text, options)).map(({ start, end }) => text.slice(start, end));
}

/** Sentences of 4 units: `AAB` becomes `A1. A2. B3. `. */
export const sentences = (letters: string) =>
  Array.from(letters, (letter, index) => `${letter}${index % 10}. `).join('');
export const lettersOf = (chunks: readonly string[]) => chunks.map((text) => text.replace(/[^A-Z]/g, ''));

/** Letters of sentences with ‖ where options cut them; the model is `byLetter` if it is not given. */
export type LetterCut = readonly [marked: string, options?: object, model?: EmbeddingModel];

/** Tests where a model cuts sentences, by what says it. */
export function testLetters(t: Test, tests: Readonly<Record<string, readonly LetterCut[]>>): void {
  for (const [name, cuts] of Object.entries(tests)) {
    t.test(name, async (t) => {
      for (const [marked, options, model = modelOf(byLetter).model] of cuts) {
        const texts = await textsOf(model, sentences(marked.replaceAll('‖', '')), options);
        t.equal(lettersOf(texts).join('‖'), marked, JSON.stringify(options));
      }
    });
  }
}

/** Unit vectors that are the same for the same text, and alike for texts of one letter. */
export function randomVector(text: string): number[] {
  let state = 7;
  for (const unit of text) state = (state * 31 + unit.charCodeAt(0)) % 65_521;
  const next = () => {
    state = (state * 17_364 + 1) % 65_521;
    return state / 65_521 - 0.5;
  };
  return byLetter(text).map((value) => value + 1.5 * next());
}

export const anyLetters = fc.array(fc.constantFrom('A', 'B', 'Z'), { minLength: 1, maxLength: 40 });
export const anyWords = anyLetters.chain((letters) =>
  fc.tuple(...letters.map((letter) => fc.nat({ max: 30 }).map((n) => `${letter}${n} ${'x'.repeat(n)}. `))),
);
export const anyThreshold = fc.double({ min: 0, max: 1, noNaN: true });
export const anyLimits = fc.record({
  chunk_size: fc.integer({ min: 1, max: 200 }),
  similarity_window: fc.integer({ min: 1, max: 6 }),
  min_sentences_per_chunk: fc.integer({ min: 1, max: 5 }),
  min_characters_per_sentence: fc.integer({ min: 1, max: 20 }),
  skip_window: fc.integer({ min: 0, max: 4 }),
  oversize: fc.constantFrom('keep', 'split'),
});
