import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { checkSentences, sentencesOf } from './sentences-of.ts';

/** Texts of each language below its heading, with `|` where one sentence ends and the next one begins. */
const [, ...SECTIONS] = readFileSync(join(import.meta.dirname, 'sentences-of-languages.txt'), 'utf8').split(
  '# ',
);
const CASES = SECTIONS.map((section) => section.trimEnd().split('\n'));

for (const [lang, ...texts] of CASES) {
  t.test(`sentences of ${lang} end where they do`, async (t) => {
    for (const marked of texts) checkSentences(t, marked, lang);
  });
}

t.test('ten languages and more have six texts', async (t) => {
  t.ok(CASES.filter(([, ...texts]) => texts.length >= 6).length >= 10);
});

t.test('a region does not matter, and an unknown language gets the abbreviations of English', async (t) => {
  const text = 'Äpfel, Birnen usw. Danach nichts mehr. Am 3. Oktober kam Dr. Weiß.';
  t.same(sentencesOf(text, 'de-AT'), sentencesOf(text, 'de'));
  t.same(sentencesOf('Dr. Weiß came. He left.', 'xx'), ['Dr. Weiß came. ', 'He left.']);
  t.same(sentencesOf('Dr. Weiß came. He left.', '__proto__'), ['Dr. Weiß came. ', 'He left.']);
});
