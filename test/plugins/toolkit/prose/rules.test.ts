import fc from 'fast-check';
import t from 'tap';
import { splitsCodePoint } from '../../../../core/engine/cuts/cuts.ts';
import { findSentences } from '../../../../plugins/toolkit/prose/find-sentences.ts';
import { sentencesBy } from '../../../../plugins/toolkit/prose/index.ts';
import { anyText } from '../../../../server/testing/cases/texts.ts';
import CASES from './sentences.json' with { type: 'json' };
import { checkSentences, sentencesOf } from './sentences-of.ts';

// `|` stands where one sentence ends and the next one begins.
for (const [name, texts] of Object.entries(CASES)) {
  t.test(name, async (t) => {
    for (const marked of texts) checkSentences(t, marked);
  });
}

const anyPiece = fc.constantFrom(
  ...['. ', '.', '...', ' . . .', '!?', '。', '”', '"', ' »', '[1]', 'Dr. ', 'U.S. ', 'z. B. ', '1. '],
  ...['• ', 'He ', '\n', '\n\n', '```\n', '# ', '- ', '===\n', 'word ', 'A', '😀', '\ud83d', '\ude00'],
  ...['ก ', '他说', '(', '。” ', '\r\n'],
);
const anyProse = fc.oneof(
  anyText,
  fc.array(anyPiece, { maxLength: 60 }).map((pieces) => pieces.join('')),
);

t.test('cuts rise, split no code point, and lose nothing', async () => {
  const holds = fc.property(anyProse, fc.constantFrom('en', 'de', 'fr', 'ru', 'zh', 'xx'), (text, lang) => {
    let last = 0;
    for (const cut of findSentences(text, lang)) {
      if (!(cut > last && cut < text.length)) throw new Error(`the cut ${cut} after ${last}`);
      if (splitsCodePoint(text, cut)) throw new Error(`the cut ${cut} splits a code point`);
      last = cut;
    }
  });
  fc.assert(holds, { numRuns: 800 });
});

t.test('each row of a table stands alone', async (t) => {
  const rows = ['| a. B | c |\n', '|---|---|\n', '| d. E | f |\n'];
  t.same(sentencesOf(rows.join('')), rows);
});

t.test('plugins have the rules through sentencesBy, by default in English', async (t) => {
  const rules = {
    delim: '.',
    include_delim: null,
    min_characters_per_sentence: 1,
    oversize: 'keep',
  } as const;
  const text = 'Dr. Wu left. He was late.';
  t.same(sentencesBy({ ...rules, sentences: 'rules' }).boundaries(text), [0, 13, 25]);
  t.same(sentencesBy(rules).boundaries(text), [0, 3, 12, 25]);
});
