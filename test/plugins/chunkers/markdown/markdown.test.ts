import t from 'tap';
import { type AnswerChunk, openChunkers } from '../../../support/service.ts';
import { checkDepth, testCuts } from '../cuts.ts';
import CUTS from './cuts.json' with { type: 'json' };
import { HOSTILE_SHAPES } from './hostile-shapes.ts';

await testCuts(t, 'markdown', {}, CUTS);

const chunk = await openChunkers();
const markdown = (text: string, options: object = {}) => chunk('markdown', { text, ...options });

interface Headed extends AnswerChunk {
  readonly heading_path: readonly string[];
  readonly blocks: readonly { readonly kind: string; readonly level?: number }[];
}

const headed = async (text: string, options: object) => (await markdown(text, options)) as Headed[];

t.test('a heading stays with what stands under it', async (t) => {
  const sections = Array.from({ length: 9 }, (_, at) => `${'#'.repeat((at % 3) + 1)} Heading ${at}\n\n`);
  const text = sections.join(`${'Words and more of them. '.repeat(5)}\n\n`);
  for (const chunk_size of [130, 150, 200, 300]) {
    for (const one of (await markdown(text, { chunk_size })).slice(0, -1))
      t.notMatch(one.text.trimEnd(), /#+ [^\n]+$/);
  }
});

t.test('blocks are listed with their places, in the unit of the request', async (t) => {
  const text = '😀\n\n## Cup\n\n```ts\nlet cup;\n```\n';
  const [only] = await markdown(text, { include_blocks: true });
  t.match(only, {
    kinds: ['paragraph', 'heading', 'fence'],
    language: 'ts',
    blocks: [
      { kind: 'paragraph', start_index: 0, end_index: 2 },
      { kind: 'heading', level: 2, start_index: 3, end_index: 10 },
      { kind: 'fence', language: 'ts', start_index: 11, end_index: text.length - 1 },
    ],
  });
});

t.test('names of headings are plain words', async (t) => {
  for (const [heading, name] of [
    ['# A *b* __c__ `d*e*` ##', 'A b c d*e*'],
    ['# [A](b) ![c](d "e") <a id="f"></a>g', 'A c g'],
    ['# [A][ref] [B][nope] [ref]', 'A [B][nope] ref'],
    ['# [![build](x)](y) Tea \\# \\*', 'build Tea # *'],
    ['A\nB\n===', 'A B'],
    ['# snake_case and a_b_', 'snake_case and a_b'],
    ['#  A  b ', 'A b'],
    ['# A “b” — c\u00a0d ', 'A “b” — c d'],
    ['## C# and F#', 'C# and F#'],
    ['####### A\n===', '####### A'],
    [`# ${'a'.repeat(201)}`, 'a'.repeat(200)],
  ] as const) {
    const [only] = await markdown(`${heading}\n\nText.\n\n[ref]: /url\n`);
    t.match(only, { heading_path: [name] }, heading);
  }
});

t.test('1 MB of what nests without end overflows no stack', (t) =>
  checkDepth(t, 'markdown', HOSTILE_SHAPES, ['«> »', '«- »', '«[^1]: »', '«<div>\n\n»']),
);

t.test(
  'numbered lines are headings if they form a sequence, below the marked heading above them',
  async (t) => {
    const body = 'Here is what it says, and Article 2 of it says more than that.\n\n';
    const law = `# Law\n\nChapter I\n\nArticle 1\nScope\n\n${body}1\\. Point\n\n${body}**Article 2**\n\n${body}Chapter II\n\nArticle 3\n\n${body}# End\n\n${body}`;
    const options = { chunk_size: 120, include_blocks: true, numbered_headings: true };
    const chunks = await headed(law, options);
    t.equal(chunks.map(({ text }) => text).join(''), law);
    t.ok(chunks.every(({ text }) => text.length <= 120));
    t.same(
      [...new Set(chunks.map(({ heading_path }) => heading_path.join(' > ')))],
      [
        'Law > Chapter I > Article 1 Scope',
        'Law > Chapter I > Article 2',
        'Law > Chapter II > Article 3',
        'End',
      ],
    );
    const plain = await headed(law, { ...options, numbered_headings: false });
    t.same([...new Set(plain.map(({ heading_path }) => String(heading_path)))], ['Law', 'End']);
    const [first] = await headed(law, { ...options, chunk_size: 2000 });
    const levels = first?.blocks.map(({ kind, level }) => level ?? kind);
    t.same(levels?.slice(0, 5), [1, 2, 3, 'paragraph', 'paragraph']);
  },
);

t.test('a list stays a list, and an item of one line can be a heading', async (t) => {
  const body = 'Here is what it says, at some length and with an end. '.repeat(5);
  const numbers = ['1. Scope', '2. Terms', '3. Use'];
  const paths = async (text: string) => [
    ...new Set(
      (await headed(text, { chunk_size: 150, numbered_headings: true })).flatMap(
        ({ heading_path }) => heading_path,
      ),
    ),
  ];
  t.same(await paths(numbers.map((line) => `${line}\n\n${body}\n\n`).join('')), numbers);
  t.same(await paths(numbers.map((line) => `${line}\n\n   ${body}\n\n`).join('')), []);
  t.same(await paths(numbers.map((line) => `- ${line}\n\n${body}\n\n`).join('')), []);
});
