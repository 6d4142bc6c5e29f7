import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { placed } from '../reading.ts';
import { HERE, read } from './reading-subtitles.ts';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/docling');

const SRT = `1
00:00:01,000 --> 00:00:02,5
<i>Boil</i> the water.
2
00:00:03,000 --> 00:00:04,000 X1:10 X2:20
{\\an8}Wait,
then

00:00:05.000 --> 00:00:04.000
pour &amp; serve
`;

t.test('the many ways to write cues are read', HERE, async (t) => {
  const expected = [
    ['Boil the water.', { start_time: 1, end_time: 2.5 }],
    ['Wait, then', { start_time: 3, end_time: 4 }],
    ['pour & serve', { start_time: 5, end_time: 5 }],
  ];
  for (const source of [
    SRT,
    SRT.replaceAll('\n', '\r\n'),
    `\ufeff${SRT}`,
    Buffer.from(`\ufeff${SRT}`, 'utf16le'),
  ]) {
    const file = await read(source);
    t.same(placed(file), expected);
    t.equal(file.text, 'Boil the water.\nWait, then pour & serve');
  }
  const latin = await read(Buffer.from('00:01.000 --> 00:02.000\nThé', 'latin1'), {
    charset: 'windows-1252',
  });
  t.match(latin, { text: 'Thé', encoding: 'windows-1252', mediaType: 'text/plain' });
});

t.test('a paragraph begins where the speaker changes, and notes are left out', HERE, async (t) => {
  const file = await read(`WEBVTT - a talk

STYLE
::cue { color: red }

NOTE not said
by anyone

intro
00:01.000 --> 00:02.000 align:start
<v.loud Ann>Tea?</v>

00:02.000 --> 00:03.000
<v Ann>Or <00:02.500><c>coffee?</c>

00:03.000 --> 00:04.000
<v Bo>Tea.

1:00:00.000 --> 1:00:01.000
NOTED &lt;all&gt;
`);
  t.equal(file.text, 'Ann: Tea?\nOr coffee?\n\nBo: Tea.\n\nNOTED <all>');
  t.same(placed(file), [
    ['Tea?', { start_time: 1, end_time: 2, speaker: 'Ann' }],
    ['Or coffee?', { start_time: 2, end_time: 3, speaker: 'Ann' }],
    ['Tea.', { start_time: 3, end_time: 4, speaker: 'Bo' }],
    ['NOTED <all>', { start_time: 3600, end_time: 3601 }],
  ]);
});

t.test('a line that rolling captions show again is written once', HERE, async (t) => {
  const cue = (from: number, ...lines: string[]) =>
    `00:0${from}.000 --> 00:0${from + 1}.000\n${lines.join('\n')}\n\n`;
  const file = await read(
    cue(1, 'one') + cue(2, 'one', 'two') + cue(3, 'one', 'two') + cue(4, 'two', 'three') + cue(6, 'three'),
  );
  t.same(placed(file), [
    ['one', { start_time: 1, end_time: 2 }],
    ['two', { start_time: 2, end_time: 4 }],
    ['three', { start_time: 4, end_time: 5 }],
    ['three', { start_time: 6, end_time: 7 }],
  ]);
});

t.test('a recording in which nothing is said is an empty text', HERE, async (t) => {
  for (const source of [
    '',
    '\n',
    'WEBVTT',
    'WEBVTT\n\nNOTE silence\n',
    'WEBVTT\n\n00:01.000 --> 00:02.000\n \n',
  ])
    t.match(await read(source), { text: '', places: [] }, JSON.stringify(source));
});

t.test(
  'a line that another speaker repeats is not said again, and what follows has its speaker',
  HERE,
  async (t) => {
    const cue = (from: number, speaker: string, line: string) =>
      `00:0${from}.000 --> 00:0${from + 1}.000\n<v ${speaker}>${line}\n\n`;
    const file = await read(cue(1, 'Ann', 'Tea?') + cue(2, 'Bo', 'Tea?') + cue(3, 'Bo', 'Yes.'));
    t.equal(file.text, 'Ann: Tea?\n\nBo: Yes.');
  },
);

t.test('what is no file of subtitles is refused, with the line', HERE, async (t) => {
  for (const [source, problem] of [
    ['Just text.', /it has no times such as 00:01:02.500 --> 00:01:04.000/],
    ['1\n00:00:01,000 -> 00:00:02,000\nx', /it has no times/],
    ['Intro\n\nsoon --> later\ny', /line 3 gives no times .*: "soon --> later"/],
    ['WEBVTT\n\nHello.\n', /it has no times/],
    [Buffer.from([0, 1, 2, 0x41, 0]), /it looks like a binary file/],
  ] as const)
    await t.rejects(read(source), { statusCode: 400, message: problem });
});

/** What is said when, as docling reads it: it divides a cue at its markup. */
function saidIn(name: string) {
  const { texts } = JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8'));
  const said = new Map<string, string>();
  for (const { text, source } of texts)
    for (const { start_time, end_time } of source) {
      const time = `${start_time} ${end_time}`;
      said.set(time, `${said.get(time) ?? ''} ${text}`);
    }
  return said;
}
const words = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? [];

t.test('what is said when is what docling reads', HERE, async (t) => {
  for (const name of ['webvtt_example_01.vtt', 'webvtt_example_02.vtt', 'webvtt_example_03.vtt']) {
    const file = await read(readFileSync(join(FIXTURES, name)));
    const found = placed(file).map(([text, place]) => {
      const { start_time, end_time } = place as Record<string, number>;
      return [`${start_time} ${end_time}`, words(text)] as const;
    });
    t.same(new Map(found), new Map([...saidIn(name)].map(([time, text]) => [time, words(text)])), name);
  }
});
