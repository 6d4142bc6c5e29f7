/** Encodings of texts: strict decoding, and the encoding of bytes that say none or a wrong one. */

export { encodingOfCodePage } from './code-pages.ts';
export { type Decoded, decode, decodeMarkless, encodingOf, type Inferred } from './decode.ts';
export type { DetectAll, Guess } from './detected.ts';
export { decodeByTrial, reportInferred } from './trial.ts';
