import t from 'tap';
import { openChunkers } from '../../../support/service.ts';
import { checkDepth, testCuts } from '../cuts.ts';
import { HOSTILE_SHAPES } from './hostile-shapes.ts';

const NONE = undefined;
const HEADER = '| kind | fat |\n| --- | --- |';
const TABLE = `${HEADER}\n| whole | 3.5 % |\n‖| skimmed | 0.1 % |\n| none | 0 |\n\n`;
/** With the table cut, and each section a chunk. */
const TEA = `# Tea\n\nBoil water.\n\n‖## Milk\n\n${TABLE}‖## Sugar\n\nNone.\n`;
const SECTIONS = TEA.replace('‖| skimmed', '| skimmed');
const THREE_ROWS = '| skimmed | 0.1 % |\n'.repeat(3);
const BOTH = ['headings', 'header'];
const SHORTENED = [NONE, NONE, true, NONE];
const FENCE =
  '```js title="a"\n# no heading\nconst one = 1;\n‖const two = 2;\n‖const three = "and more";\n```\n\n‖Behind.\n';
const OPENING = '```js title="a"';
const LINES = '```\nx = 1\nx = 1\n‖x = 1\n```\n\n';

await testCuts(
  t,
  'markdown',
  {},
  {
    'sections that fit stay whole, and small ones join under the same parent': [
      [SECTIONS.replaceAll('‖', ''), { chunk_size: 500 }],
      [
        SECTIONS,
        { chunk_size: 100 },
        {
          heading_path: ['Tea', 'Tea-Milk', 'Tea-Sugar'],
          kinds: ['heading-paragraph', 'heading-table', 'heading-paragraph'],
          rows: [NONE, '1-3', NONE],
        },
      ],
    ],
    'split_level begins a chunk at every heading of that level': [
      [SECTIONS, { chunk_size: 500, split_level: 2, min_chunk_size: 0 }],
      [SECTIONS.replaceAll('‖', ''), { chunk_size: 500, split_level: 1 }],
    ],
    'a chunk that goes on with a table carries its header, never in its text': [
      [
        TEA,
        { chunk_size: 60 },
        {
          heading_path: ['Tea', 'Tea-Milk', 'Tea-Milk', 'Tea-Sugar'],
          rows: [NONE, '1-1', '2-3', NONE],
          context: [NONE, NONE, HEADER, NONE],
        },
      ],
      [TEA, { chunk_size: 60, carry: [] }, { context: [NONE, NONE, NONE, NONE] }],
    ],
    'chunks leave room for what they carry if that counts, and no more than that': [
      [
        `${HEADER}\n${THREE_ROWS}‖${THREE_ROWS}‖${THREE_ROWS}`,
        { chunk_size: 100, count_context: true },
        { context: [NONE, HEADER, HEADER] },
      ],
    ],
    'headings of a path come before what is carried, which is at most half of the limit': [
      [TEA, { chunk_size: 80, carry: BOTH }, { context: [NONE, 'Tea', `Tea > Milk\n${HEADER}`, 'Tea'] }],
      [
        TEA,
        { chunk_size: 60, carry: BOTH },
        { context: [NONE, 'Tea', HEADER, 'Tea'], context_shortened: SHORTENED },
      ],
    ],
    'a fence that fits is whole, one that does not carries its first line': [
      [`Words before it.\n\n‖${FENCE.replaceAll('‖', '')}`, { chunk_size: 105 }],
      [
        `Words before it.\n\n‖${FENCE}`,
        { chunk_size: 44, min_chunk_size: 0 },
        { context: [NONE, NONE, OPENING, OPENING, NONE], language: [NONE, 'js', 'js', 'js', NONE] },
      ],
      [LINES.trimEnd(), { chunk_size: 22 }, { kinds: ['fence', 'fence'] }],
    ],
    'what is over the limit is kept whole if the request says so': [
      [`before\n\n‖${LINES.replace('‖', '')}‖behind\n`, { chunk_size: 20, oversize: 'keep' }],
      [`before\n\n‖${LINES}‖behind\n`, { chunk_size: 20 }],
    ],
  },
);

const chunk = await openChunkers();
const markdown = (text: string, options: object = {}) => chunk('markdown', { text, ...options });

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
    ['#', ''],
  ] as const) {
    const [only] = await markdown(`${heading}\n\nText.\n\n[ref]: /url\n`);
    t.match(only, { heading_path: [name] }, heading);
  }
});

t.test('1 MB of what nests without end overflows no stack', (t) =>
  checkDepth(t, 'markdown', HOSTILE_SHAPES, ['«> »', '«- »', '«[^1]: »', '«<div>\n\n»']),
);
