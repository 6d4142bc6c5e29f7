import t from 'tap';
import { openChunkers } from '../../../support/service.ts';

const chunk = await openChunkers();
const markdown = (text: string, options: object = {}) => chunk('markdown', { text, ...options });
const textsOf = async (text: string, options: object) =>
  (await markdown(text, options)).map(({ text }) => text);

const TABLE = '| kind | fat |\n| --- | --- |\n';
const TEA = `# Tea\n\nBoil water.\n\n## Milk\n\n${TABLE}| whole | 3.5 % |\n| skimmed | 0.1 % |\n| none | 0 |\n\n## Sugar\n\nNone.\n`;

t.test('sections that fit stay whole, and small ones join under the same parent', async (t) => {
  t.same(await textsOf(TEA, { chunk_size: 500 }), [TEA]);
  const chunks = await markdown(TEA, { chunk_size: 100 });
  t.match(chunks, [
    { text: /^# Tea\n\nBoil water\.\n\n$/, heading_path: ['Tea'], kinds: ['heading', 'paragraph'] },
    { text: /^## Milk[\s\S]+\| none \| 0 \|\n\n$/, heading_path: ['Tea', 'Milk'], rows: [1, 3] },
    { text: '## Sugar\n\nNone.\n', heading_path: ['Tea', 'Sugar'] },
  ]);
});

t.test('split_level begins a chunk at every heading of that level', async (t) => {
  const found = await markdown(TEA, { chunk_size: 500, split_level: 2, min_chunk_size: 0 });
  t.same(
    found.map(({ text }) => text.split('\n')[0]),
    ['# Tea', '## Milk', '## Sugar'],
  );
  t.equal((await markdown(TEA, { chunk_size: 500, split_level: 1 })).length, 1);
});

t.test('a chunk that goes on with a table carries its header, never in its text', async (t) => {
  const chunks = await markdown(TEA, { chunk_size: 60 });
  const [later] = chunks.filter(({ text }) => text.startsWith('| skimmed'));
  t.match(later, { context: TABLE.trimEnd(), rows: [2, 3], heading_path: ['Tea', 'Milk'] });
  t.notMatch(later?.text, /kind/);
  t.notOk((await markdown(TEA, { chunk_size: 60, carry: [] })).some((one) => 'context' in one));
  const [headed] = (await markdown(TEA, { chunk_size: 60, carry: ['headings', 'header'] })).filter(
    ({ text }) => text.startsWith('| skimmed'),
  );
  t.match(headed, { context: TABLE.trimEnd(), context_shortened: true }, 'at most half of the limit');
});

t.test('chunks leave room for what they carry if that counts', async (t) => {
  const rows = Array.from({ length: 20 }, (_, at) => `| kind ${at} | ${at}.5 % |\n`).join('');
  const chunks = await markdown(TABLE + rows, { chunk_size: 100, count_context: true });
  t.ok(chunks.length > 4);
  for (const { token_count, ...rest } of chunks.slice(1)) {
    const { context } = rest as { context?: string };
    t.equal(context, TABLE.trimEnd());
    t.ok(token_count + TABLE.length <= 100);
    t.ok(token_count + TABLE.length > 60, 'and no more than that');
  }
});

t.test('headings of a path come before what is carried', async (t) => {
  const chunks = await markdown(TEA, { chunk_size: 80, carry: ['headings', 'header'] });
  const contexts = chunks.map(({ text, ...fields }) => [
    text.split('\n')[0],
    (fields as { context?: string }).context,
  ]);
  t.same(contexts, [
    ['# Tea', undefined],
    ['## Milk', 'Tea'],
    ['| skimmed | 0.1 % |', `Tea > Milk\n${TABLE.trimEnd()}`],
    ['## Sugar', 'Tea'],
  ]);
});

t.test('a fence that fits is whole, one that does not carries its first line', async (t) => {
  const code = Array.from({ length: 8 }, (_, at) => `const value${at} = ${at};`).join('\n');
  const text = `Some words before it.\n\n\`\`\`js title="a"\n# no heading\n${code}\n\`\`\`\n\nSome words behind it.\n`;
  const whole = await textsOf(text, { chunk_size: 199 });
  t.ok(whole.some((one) => one.startsWith('```js') && one.endsWith('```\n\n')));
  const parts = await markdown(text, { chunk_size: 80 });
  const later = parts.filter(({ text }) => text.startsWith('const'));
  t.ok(later.length > 1);
  for (const part of later) t.match(part, { context: '```js title="a"', language: 'js', kinds: ['fence'] });
  t.notOk(
    parts.some(({ text }) => text.startsWith('```\n')),
    'the last line is not alone',
  );
});

t.test('a heading stays with what stands under it', async (t) => {
  const paragraph = 'Words and more of them. '.repeat(5);
  const text = Array.from(
    { length: 9 },
    (_, at) => `${'#'.repeat((at % 3) + 1)} Heading ${at}\n\n${paragraph}\n\n`,
  ).join('');
  for (const chunk_size of [130, 150, 200, 300]) {
    for (const one of await textsOf(text, { chunk_size })) t.notMatch(one.trimEnd(), /#+ [^\n]+$/);
  }
});

t.test('what is over the limit is kept whole if the request says so', async (t) => {
  const fence = `\`\`\`\n${'x = 1\n'.repeat(30)}\`\`\`\n`;
  const text = `before\n\n${fence}\nbehind\n`;
  t.ok((await textsOf(text, { chunk_size: 50, oversize: 'keep' })).some((one) => one.includes(fence)));
  for (const { token_count } of await markdown(text, { chunk_size: 50 })) t.ok(token_count <= 50);
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
  const names: readonly (readonly [string, string])[] = [
    ['# A *b* __c__ `d*e*` ##', 'A b c d*e*'],
    ['# [A](b) ![c](d "e") <a id="f"></a>g', 'A c g'],
    ['# [A][ref] [B][nope] [ref]', 'A [B][nope] ref'],
    ['# [![build](x)](y) Tea \\# \\*', 'build Tea # *'],
    ['A\nB\n===', 'A B'],
    ['# snake_case and a_b_', 'snake_case and a_b'],
    ['#', ''],
  ];
  for (const [heading, name] of names) {
    const [only] = await markdown(`${heading}\n\nText.\n\n[ref]: /url\n`);
    t.match(only, { heading_path: [name] }, heading);
  }
});
