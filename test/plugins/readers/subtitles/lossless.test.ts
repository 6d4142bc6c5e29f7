import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { encode } from '../encode.ts';
import { placed } from '../reading.ts';
import { HERE, leftOutOf, read } from './reading-subtitles.ts';

const FIRST = { start_time: 1, end_time: 2 };
const SECOND = { start_time: 3, end_time: 4 };
const said = async (source: string) => placed(await read(source));
const [ONE, TWO] = ['00:00:01,000 --> 00:00:02,000', '00:00:03,000 --> 00:00:04,000'];

t.test('a cue goes on after lines that are empty or only white space', HERE, async (t) => {
  for (const blank of ['', ' ', '\t', '\u00a0', '\u3000', '\ufeff', '\n', ' \n\n\t'])
    for (const end of ['\n', '\r\n', '\r']) {
      const cue = (...lines: string[]) => lines.join('\n').replaceAll('\n', end);
      const name = JSON.stringify([blank, end]);
      const rest = ['', '2', TWO, 'Last.', ''];
      t.same(
        await said(cue('1', ONE, 'Alpha.', blank, 'Gamma.', ...rest)),
        [
          ['Alpha. Gamma.', FIRST],
          ['Last.', SECOND],
        ],
        name,
      );
      t.same((await said(cue('1', ONE, blank, 'Alpha.', ...rest)))[0], ['Alpha.', FIRST], `first ${name}`);
      t.same(
        (await said(cue('WEBVTT', '', ONE, blank, 'Alpha.', blank, '', TWO, 'Last.')))[0],
        ['Alpha.', FIRST],
        `WebVTT ${name}`,
      );
      t.same(
        (await said(cue(ONE, 'Alpha.', blank, 'Gamma.', blank)))[0],
        ['Alpha. Gamma.', FIRST],
        `last ${name}`,
      );
    }
});

t.test('an arrow that is not between times is text', HERE, async (t) => {
  for (const line of [
    'File --> Open',
    'a --> b --> c',
    '-->',
    '--> 00:00:02,000',
    '12:30 --> 14:00',
    '1 --> 2',
    '00:00:01,000 --> soon',
  ])
    t.same(
      await said(`1\n${ONE}\nSo:\n${line}\nYes.\n\n2\n${TWO}\nLast.\n`),
      [
        [`So: ${line} Yes.`, FIRST],
        ['Last.', SECOND],
      ],
      line,
    );
});

t.test('times are written in many ways', HERE, async (t) => {
  for (const [line, start_time, end_time] of [
    ['00:00:01,000 --> 00:00:02,000', 1, 2],
    ['00:00:01.000 --> 00:00:02.000', 1, 2],
    ['00:01.5 --> 00:02,25', 1.5, 2.25],
    ['0:00:01 --> 1:00:02', 1, 3602],
    ['100:00:00.000-->100:00:01.000', 360_000, 360_001],
    ['00:00:01.0005 --> 00:00:02.000', 1.0005, 2],
    ['00:00:01,000 --> 00:00:02,000  X1:100 X2:200 Y1:1 Y2:2', 1, 2],
    ['00:00:01.000 --> 00:00:02.000 position:10%,line-left align:left size:35%', 1, 2],
    ['\t00:00:01,000  -->  00:00:02,000 \t', 1, 2],
  ] as const)
    t.same(await said(`1\n${line}\nText.\n`), [['Text.', { start_time, end_time }]], line);
  t.same(
    await said(`1\n${ONE} Same line.\nText.\n`),
    [['Same line. Text.', FIRST]],
    'text behind the times is text',
  );
});

t.test('a number above times is that of the cue, and another number is text', HERE, async (t) => {
  for (const [source, ...texts] of [
    [`1\n${ONE}\nA\n2\n${TWO}\nB`, 'A', 'B'],
    [`1\n${ONE}\nA\n42\n2\n${TWO}\nB`, 'A 42', 'B'],
    [`1\n${ONE}\nA\n\n42\n\n2\n${TWO}\nB`, 'A 42', 'B'],
    [`1\n${ONE}\nA\n9\n${TWO}\nB`, 'A', 'B'],
    [`${ONE}\nA\n42\n${TWO}\nB`, 'A 42', 'B'],
    [`${ONE}\n42\n${TWO}\nB`, '42', 'B'],
    [`${ONE}\n42\n\n${TWO}\nB`, '42', 'B'],
    [`${ONE}\nA\n\n7\n${TWO}\nB`, 'A', 'B'],
    [`1\n\n${ONE}\n\nA\n\n2\n\n${TWO}\n\nB\n`, 'A', 'B'],
    [`1\n\n${ONE}\n\nA\n\n42\n\n${TWO}\n\nB\n`, 'A 42', 'B'],
    [`1\r\r\n${ONE}\r\r\nA\r\r\n\r\r\n2\r\r\n${TWO}\r\r\nB`, 'A', 'B'],
    [`\ufeff1\n${ONE}\nA\n\n\ufeff2\n${TWO}\nB`, 'A', 'B'],
  ] as const)
    t.same(
      (await said(source)).map(([text]) => text),
      texts,
      JSON.stringify(source),
    );
});

t.test('what is left out is counted', HERE, async (t) => {
  for (const [source, counted] of [
    [`1\n${ONE}\nA\n\n2\n${TWO}\nB`, {}],
    [`WEBVTT\n\n${ONE}\nA`, {}],
    [`WEBVTT - talk\nKind: captions\nLanguage: en\n\n${ONE}\nA`, { header_line: 3 }],
    [
      `WEBVTT\n\nNOTE one\nmore\n\nNOTE\ntwo\n\nSTYLE\n::cue{}\n\nREGION\nid:a\n\n${ONE}\nA`,
      { note: 2, style: 1, region: 1 },
    ],
    [
      `WEBVTT\n\nintro\n${ONE} align:left line:0\n<v Ann><i>A</i>\n\nNOTE x`,
      { identifier: 1, note: 1, setting: 2, tag: 3 },
    ],
    [`Made by Ann\n\n1\n${ONE}\nA`, { line_before_the_first_cue: 1 }],
    [`1\n${ONE}\nA\n\n2\n00:00:02,000 --> 00:00:03,000\nA\nB`, { repeated_line: 1 }],
    [`1\n${ONE}\n\n2\n${TWO}\n\n`, { cue_without_text: 2 }],
    [`${ONE}\nA\n\n7\n${TWO}\nB`, { identifier: 1 }],
    ['', {}],
  ] as const)
    t.same(await leftOutOf(source), counted, JSON.stringify(source));
});

t.test('only WebVTT has notes: in SubRip these words are said', HERE, async (t) => {
  for (const line of ['NOTE that.', 'STYLE', 'REGION', 'NOTE'])
    t.same((await said(`1\n${ONE}\nA\n\n${line}\nB\n`))[0], [`A ${line} B`, FIRST]);
});

t.test('each speaker of a cue is named', HERE, async (t) => {
  const file = await read(
    `WEBVTT\n\n${ONE}\n<v Ann>Tea?</v>\n<v.loud Bo &amp; Co>Tea.</v> <v Bo &amp; Co>Yes.\n`,
  );
  t.equal(file.text, 'Ann: Tea?\n\nBo & Co: Tea. Yes.');
});

t.test(
  'the first of rolling captions keeps its start, with lines of white space as YouTube writes them',
  HERE,
  async (t) => {
    const cue = (from: string, to: string, ...lines: string[]) =>
      `00:00:0${from} --> 00:00:0${to} align:start position:0%\n${lines.join('\n')}\n\n`;
    const source = [
      'WEBVTT\nKind: captions\nLanguage: en\n\n',
      cue('0.000', '2.000', ' ', 'we<00:00:00.500><c> begin</c>'),
      cue('2.000', '2.010', 'we begin', ' '),
      cue('2.010', '4.000', 'we begin', 'and<00:00:03.000><c> go on</c>'),
      cue('4.000', '4.010', 'and go on', ' '),
    ].join('');
    t.same(await said(source), [
      ['we begin', { start_time: 0, end_time: 2.01 }],
      ['and go on', { start_time: 2.01, end_time: 4.01 }],
    ]);
    t.same(await leftOutOf(source), { header_line: 2, repeated_line: 3, setting: 8, tag: 6 });
  },
);

const PHRASES = {
  'windows-1252': 'Déjà vu, mon chéri, ça va très bien là-bas.',
  'windows-1250': 'Příliš žluťoučký kůň úpěl ďábelské ódy, a pak šel domů.',
  'windows-1251': 'Добрый вечер, дорогие друзья, мы рады вас видеть.',
  shift_jis: 'こんにちは、お元気ですか。今日はいい天気ですね。',
  gb18030: '你好，今天天气很好，我们一起去公园散步吧。',
  big5: '你好，今天天氣很好，我們一起去公園散步吧。',
  'euc-kr': '안녕하세요, 오늘은 날씨가 아주 좋습니다.',
};

t.test('files that are not UTF-8 are decoded as texts are', HERE, async (t) => {
  for (const [encoding, phrase] of Object.entries(PHRASES))
    for (const head of ['1\n', 'WEBVTT\n\n']) {
      const file = await read(encode(`${head}${ONE}\n${phrase}\n`, encoding));
      t.match(file, { text: phrase, encoding });
    }
  for (const bytes of [
    Buffer.from(`\ufeff1\n${ONE}\nThé.\n`, 'utf16le'),
    Buffer.from(`\ufeff1\n${ONE}\nThé.\n`, 'utf16le').swap16(),
    Buffer.from(`1\n${ONE}\nThé, s’il vous plaît.\n`, 'utf16le'),
  ])
    t.match(await read(bytes), { text: /^Thé/, encoding: /^utf-16/ });
});

const blank = fc.constantFrom('', ' ', '\t', '\u00a0', ' \u3000 ');
const words = fc.constantFrom('said', '-->', '2 --> 3', 'NOTEd', '<b>bold</b>', 'a &amp; b', '7');
const line = fc.oneof({ weight: 3, arbitrary: words }, { weight: 2, arbitrary: blank });
const anyCue = fc.record({ isNumbered: fc.boolean(), lines: fc.array(line, { maxLength: 6 }) });

t.test('every line of text is in the text or counted', HERE, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyCue, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('', 'WEBVTT\n\n'),
      fc.constantFrom('\n', '\r\n', '\r'),
      async (cues, head, end) => {
        // Each line of text has a word of its own.
        const own: string[] = [];
        const written = cues.map(({ isNumbered, lines }, at) => {
          const texts = lines.map((text) => {
            if (text.trim() === '') return text;
            own.push(`w${own.length}.`);
            return `${text} ${own.at(-1)}`;
          });
          const number = isNumbered ? [String(at + 1)] : [];
          return [...number, `00:00:${at + 10}.000 --> 00:00:${at + 10}.500`, ...texts, ''].join('\n');
        });
        const source = `${head}${written.join('\n')}`.replaceAll('\n', end);
        const { text, leftOut } = await read(source);
        const said = text.split(/[ \n]/);
        const missing = own.filter((one) => !said.includes(one));
        assert.ok(missing.length <= (leftOut?.identifier ?? 0), `${missing} of ${JSON.stringify(source)}`);
        assert.deepEqual(
          said.filter((one) => own.includes(one)),
          own.filter((one) => !missing.includes(one)),
        );
      },
    ),
  );
});
