/** Sentences and clauses of texts in natural languages. */

export { cutAtClauseEnds, cutAtSentenceEnds } from './cut-at-marks.ts';
export * from './options.ts';
export { SENTENCE_MARKS } from './sentence-marks.ts';
export { type Sentences, sentencesBy } from './sentences.ts';
