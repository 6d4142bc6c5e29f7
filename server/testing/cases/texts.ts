import fc from 'fast-check';
import { anyCharacters } from './characters.ts';
import { structuredText } from './structured-texts.ts';

/** Texts that chunkers may get: every script, every kind of white space, lone surrogates, NUL, every format. */

/** The first one is what failing texts are shrunk towards. */
const PIECES = [
  ['a', 'The quick brown fox', ' jumps over the lazy dog. ', 'Is it true? ', 'Yes! ', 'e.g. 3.14 '],
  ['\n', '\n\n', '\r\n', '\r\n\r\n', '\t', '   ', '\u00a0', '\u2028'],
  ['# Title\n', '## Part\n', '- item\n', '```js\nconst a = 1;\n```\n', 'def f(x):\n    return x\n\n\n'],
  ['这是一个句子。', 'これは文です！', '그것은 문장입니다. ', 'यह एक वाक्य है। ', 'هل هذه جملة؟ '],
  ['Это предложение. ', 'naïve café — ', 'e\u0301', '😀', '👩‍👩‍👧‍👦', '🇩🇪', '👍🏽', '𠮷野家'],
  ['\ud83d', '\ude00', '\0', '\u0085', '\ufeff', '"quoted" \\ back/slash ', '\u0007', 'x'.repeat(60)],
  ['<|endoftext|>', '__proto__'],
].flat();

export const anyText = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join('')),
  },
  { weight: 4, arbitrary: structuredText },
  { weight: 2, arbitrary: anyCharacters(200) },
  {
    weight: 1,
    arbitrary: fc.array(fc.nat(0xffff), { maxLength: 120 }).map((units) => String.fromCharCode(...units)),
  },
  { weight: 1, arbitrary: fc.stringMatching(/^[ \t\n\r\u00a0\u3000]*$/) },
);
