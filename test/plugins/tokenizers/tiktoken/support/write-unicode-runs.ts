/**
 * Writes `plugins/tokenizers/tiktoken/unicode-runs.ts` anew. Needed when the `tiktoken` package moves to
 * another version of Unicode, which the test of the classes reports:
 *
 *     node test/plugins/tokenizers/tiktoken/support/write-unicode-runs.ts
 */
import { writeFile } from 'node:fs/promises';
import { OTHER } from '../../../../../plugins/tokenizers/tiktoken/unicode-classes.ts';
import { classReader, nodeClass } from './read-classes.ts';

const RADIX = 36;
const FIRST_CLASS_LETTER = 'A'.charCodeAt(0);

/** Writes classes in the notation of `unicode-runs.ts`: a letter for each class, then the run's length. */
function writeUnicodeRuns(classes: Uint8Array): string {
  let runs = '';
  for (let start = 0, end = 0; start < classes.length; start = end) {
    const found = classes[start] as number;
    while (classes[end] === found) end += 1;
    const letter = String.fromCharCode(FIRST_CLASS_LETTER + Math.log2(found));
    runs += end - start === 1 ? letter : letter + (end - start).toString(RADIX);
  }
  return runs;
}

const classes = new Uint8Array(0x110000).fill(OTHER);
const reader = classReader();
for (let codePoint = 0; codePoint < classes.length; codePoint += 1) {
  const expected = nodeClass(codePoint);
  classes[codePoint] = reader.agrees(codePoint, expected) ? expected : OTHER;
}
reader.free();

const lines = writeUnicodeRuns(classes).match(/.{1,100}(?=[A-Z]|$)/gs) ?? [];
const target = new URL('../../../../../plugins/tokenizers/tiktoken/unicode-runs.ts', import.meta.url);
await writeFile(
  target,
  `/**
 * The class of every code point in Unicode 16, the version that tiktoken's patterns know, as runs from
 * code point 0: a letter for the class (A is the lowest bit of \`unicode-classes.ts\`), then the length of
 * the run in base 36, left out where it is 1. Written by
 * \`test/plugins/tokenizers/tiktoken/support/write-unicode-runs.ts\`; not to be edited by hand.
 */
export const UNICODE_RUNS = \`
${lines.join('\n')}
\`;
`,
);
