import fc from 'fast-check';
import t from 'tap';
import { cutAtSentences } from '../../../../core/engine/prose/cut-at-sentences.ts';
import { splitsCodePoint } from '../../../../core/engine/text.ts';
import { kit } from '../../../../core/kit.ts';
import { anyText } from '../../../../server/testing/cases/texts.ts';
import { checkSentences, sentencesOf } from './sentences-of.ts';

/** Texts with `|` where one sentence ends and the next one begins. */
const CASES: Readonly<Record<string, readonly string[]>> = {
  'abbreviations, initials and numbers': [
    'Dr. Smith met Mr. Wu. |We use e.g. 256 tokens, i.e. few.',
    'See Fig. 3, No. 7 and pp. 5 of vol. IV. |It says no. |Then it says yes.',
    'Smith et al. (2020) agree. |J. R. R. Tolkien wrote it. |Vitamin C. |It helps.',
    'Pi is 3.14 in v1.2 of a.b.c. |It was 1990. |She had 3.',
    'He works at Apple Inc. |The firm is big. |John Jr. went to Acme Ltd. offices.',
    'I saw him at 5 p.m. |Then he left. |By 6 p.m. Paris slept.',
  ],
  'U.S. Army and U.S. He': [
    'The U.S. Army came. |He lives in the U.S. |He likes it.',
    'In the U.S. |But not in the U.K. Parliament.',
  ],
  'numbers of a list stay with their item': [
    'First thing here. |2. Second thing here. |3. Third thing here.',
    '1. Flour 1.5 kg |2. Water |3. Salt. |It is good.',
    '• Flour |• Water |• Salt',
    'a) Flour |b) Water |c) Salt and d, e',
    '1.2. Scope. |It is wide.',
  ],
  'closing quotation marks and brackets stay with their sentence': [
    '“你好。”他说。|他走了。',
    'He said "Stop." |Then he left. |"Go!" she cried.',
    '(See below.) |Now read [2]. |**Bold it is.** |Next one.[3] |Last one.',
    '« Bonjour ! » |Puis il sortit.',
    'She said, ‘Well.’ |“Really?” |Yes (quite so!).',
  ],
  'ellipses end a sentence only before a capital letter': [
    'Wait... what? |He paused... |Then he left… |She stayed … as ever.',
    'Well ... I think so. |It was [...] the end. |They say . . . that it rains. . . . |It does.',
  ],
  'addresses and names of files are safe': [
    'See https://example.com/a.b?c=d.e and README.md. |Mail Jane.Doe@example.com now!',
    'Use .NET or Node.js. |Open ./a/b.txt. |iPhone. |iPads sell.',
  ],
  'a line break ends a sentence only where its paragraph ends': [
    'This sentence was wrapped by hand at\nforty columns, as mails and RFCs are, and\nit ends here. |So does\nthis one.\n\n|The next paragraph\nis wrapped as well.',
    'We met Mr.\nSmith and then we met\nJohn there too. |It was\r\nnice to see them again.',
    '> This quotation was wrapped by hand\n> at forty columns. |It has two\n> sentences.',
  ],
  'headings, items, rules and tags stand alone': [
    '# A title. With dots. Here\n|Text here. |More.\n|## Another\n|- one item that was\n  wrapped\n|- two. |Three\n|* four\n',
    'A title\n=======\n|Some text.\n\n|---\n\n|More text.',
    '<div class="a. B">\n|Some text. |More.\n|</div>\n',
  ],
  'a fence is cut between lines of code, and keeps its fences': [
    'Call it:\n\n|```js\nconst a = b. C();\n|a.read();\n|a.close();\n```\n\n|Then look. |It is fine.',
    '~~~\n# no heading\n~~~\n|Text.',
  ],
  'verse, addresses and lists without marks keep their lines': [
    "Shall I compare thee to a summer's day?\n|Thou art more lovely and more temperate:\n|Rough winds do shake the darling buds of May,\n|And summer's lease hath all too short a date:",
    'John Smith\n|12 Main Street\n|Springfield\n',
    'Introduction\n|This paper describes a thing that is longer than its title.\n',
    '2024-01-01 10:00 begin\n|2024-01-01 10:01 go on for a while\n|2024-01-02 08:00 end\n',
  ],
};

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

t.test('cuts rise, split no code point, and lose nothing', async (t) => {
  const holds = fc.property(anyProse, fc.constantFrom('en', 'de', 'fr', 'ru', 'zh', 'xx'), (text, lang) => {
    let last = 0;
    for (const cut of cutAtSentences(lang)(text, 0, text.length)) {
      if (!(cut > last && cut < text.length)) throw new Error(`the cut ${cut} after ${last}`);
      if (splitsCodePoint(text, cut)) throw new Error(`the cut ${cut} splits a code point`);
      last = cut;
    }
  });
  fc.assert(holds, { numRuns: 800 });
  t.pass();
});

t.test('each row of a table stands alone', async (t) => {
  const rows = ['| a. B | c |\n', '|---|---|\n', '| d. E | f |\n'];
  t.same(sentencesOf(rows.join('')), rows);
});

t.test('plugins have the rules through kit.sentencesBy, by default in English', async (t) => {
  const rules = {
    delim: '.',
    include_delim: null,
    min_characters_per_sentence: 1,
    oversize: 'keep',
  } as const;
  const text = 'Dr. Wu left. He was late.';
  t.same(kit.sentencesBy({ ...rules, sentences: 'rules' }).boundaries(text), [0, 13, 25]);
  t.same(kit.sentencesBy(rules).boundaries(text), [0, 3, 12, 25]);
});

t.test('a part of a text has offsets of the whole', async (t) => {
  const text = 'One here. Two here. Three here.';
  t.same(cutAtSentences('en')(text, 4, 25), [10, 20]);
});
