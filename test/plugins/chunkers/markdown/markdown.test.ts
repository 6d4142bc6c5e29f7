import t from 'tap';
import { openChunkers } from '../../../support/service.ts';
import { checkDepth, testCuts } from '../cuts.ts';
import CUTS from './cuts.json' with { type: 'json' };
import { HOSTILE_SHAPES } from './hostile-shapes.ts';

await testCuts(t, 'markdown', {}, CUTS);

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
