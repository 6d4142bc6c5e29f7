import type { Paragraph } from './documents.ts';

/** Gives one vector per text. */
export type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

/** How much more alike paraphrases are than unrelated sentences. */
export async function evaluatePairs(pairs: readonly (readonly [string, string])[], embed: Embed) {
  const left = await embed(pairs.map(([first]) => first));
  const right = await embed(pairs.map(([, second]) => second));
  const table = left.map((row) => right.map((column) => cosine(row, column)));
  const own = table.map((row, index) => row[index] as number);
  const others = table.flatMap((row, index) => row.filter((_, column) => column !== index));
  const first = table.filter((row, index) => ranking(row)[0] === index).length;
  return {
    /** Mean cosine of sentences that say the same. */
    paraphrases: mean(own),
    /** Mean cosine of sentences that have nothing to do with each other. */
    unrelated: mean(others),
    /** Share of paraphrases that are more alike than every unrelated pair of the same sentence. */
    first: first / pairs.length,
  };
}

/** Gives the mean recall of a request to evaluate, with one candidate. */
export type Recall = (request: object) => Promise<number>;

/** The share of questions that find the paragraph with their answer as the first one, and among the first five, of all. */
export async function evaluateRetrieval(paragraphs: readonly Paragraph[], recall: Recall) {
  const longest = Math.max(...paragraphs.map(({ text }) => text.length));
  const request = {
    documents: paragraphs.map(({ text }) => ({ text })),
    questions: paragraphs.map(({ question, text }, document) => ({
      question,
      answers: [{ document, start_index: 0, end_index: text.length }],
    })),
    candidates: [{ chunker: 'token', config: { tokenizer: 'character', chunk_size: longest } }],
    offset_unit: 'utf16',
  };
  return { at1: await recall({ ...request, k: 1 }), at5: await recall({ ...request, k: 5 }) };
}

function cosine(first: Float32Array, second: Float32Array): number {
  const dot = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, value, index) => sum + value * (b[index] as number), 0);
  return dot(first, second) / (Math.sqrt(dot(first, first) * dot(second, second)) || 1);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Indices of the scores, the highest first. */
function ranking(scores: readonly number[]): number[] {
  return scores.map((_, index) => index).sort((a, b) => (scores[b] as number) - (scores[a] as number));
}
