import fc from 'fast-check';
import t from 'tap';
import { type AnswerChunk, openChunkers } from '../../../support/service.ts';

const chunk = await openChunkers();

interface Chunk extends AnswerChunk {
  readonly heading_path: readonly string[];
  readonly kinds: readonly string[];
}

const mdx = async (text: string, options: object = {}) =>
  (await chunk('markdown', { text, mdx: true, ...options })) as Chunk[];

const PAGE = `---
title: Tea
---

import { Tabs, TabItem } from '@site/tabs';
import Note from './note.mdx';

export const recipe = {
  steps: \`
# Not a heading

## Nor this\`,

  /* }
# Nor this */
  note: 'it}',
};

# Tea

import again from 'the middle';

Important is what begins with other words, and a <Note>within a line</Note>.

<Tabs
  values={[
    { label: 'a > b' },

    { label: 'c' },
  ]}
>
<TabItem value="a">

## Green

Boil water to 80 degrees.

- one
- two

</TabItem>
<TabItem value="b">

## Black

Boil water.

\`\`\`js
import inFence from '</Tabs>';
\`\`\`

</TabItem>
</Tabs>

{/* A comment

# that is not a heading

*/}

## Milk

Only a little.
`;

const VARIANTS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => `\ufeff${text.replaceAll('Tea', '🍵')}`,
  (text) => text.repeat(2),
];

t.test('nothing is lost and no limit is broken, wherever the file ends', async (t) => {
  const property = fc.asyncProperty(
    fc.constantFrom(...VARIANTS),
    fc.nat(2 * PAGE.length),
    fc.constantFrom(1, 15, 60, 300, 5000),
    async (change, length, chunk_size) => {
      const text = change(PAGE).slice(0, length).toWellFormed();
      const chunks = await mdx(text, { chunk_size });
      const isWhole = text.trim() === '' || chunks.map((one) => one.text).join('') === text;
      if (!isWhole || chunks.some(({ token_count }) => token_count > chunk_size)) throw new Error('broken');
    },
  );
  await t.resolves(fc.assert(property, { numRuns: 200 }));
});

t.test('imports, exports and expressions are blocks whatever is in them', async (t) => {
  const chunks = await mdx(PAGE, { chunk_size: 5000, min_chunk_size: 0, split_level: 6 });
  const paths = chunks.map(({ heading_path }) => heading_path.join(' > '));
  t.same(paths, ['', '', 'Tea', 'Tea > Green', 'Tea > Black', 'Tea > Milk']);
  const kinds = chunks.map((one) => one.kinds.join());
  t.same(kinds, [
    'front_matter',
    'esm',
    'heading,esm,paragraph,html',
    'heading,paragraph,list,html',
    'heading,paragraph,fence,html',
    'heading,paragraph',
  ]);
});

t.test('without mdx it is Markdown', async (t) => {
  const kindsOf = async (options: object) =>
    ((await chunk('markdown', { text: PAGE, chunk_size: 5000, ...options })) as Chunk[]).flatMap(
      ({ kinds }) => kinds,
    );
  t.notOk((await kindsOf({})).includes('esm'));
  t.notOk((await kindsOf({ mdx: false })).includes('esm'));
  const documents = (filename: string) => ({ documents: [{ text: PAGE, filename }] });
  for (const [filename, isMdx] of [
    ['a/b.MDX', true],
    ['b.md', false],
  ] as const) {
    const [chunks] = (await chunk('markdown', documents(filename))) as unknown as Chunk[][];
    t.equal(
      chunks?.some(({ kinds }) => kinds.includes('esm')),
      isMdx,
      filename,
    );
  }
  const [, first] = (await mdx('Tea.\n\nimport <b>\n\nimported goods\n', { chunk_size: 12 })).map(
    ({ kinds }) => kinds.join(),
  );
  t.equal(first, 'esm');
});

t.test('a component that fits is not cut, and its tags stay with its content', async (t) => {
  const note = (index: number) => `<Note>\n\nFirst ${index}.\n\nSecond ${index}.\n\n</Note>\n\n`;
  const notes = Array.from({ length: 9 }, (_, index) => note(index));
  const text = `<Steps>\n\n${notes.join('')}</Steps>\n`;
  const list = '<Note>\n\n- one of the items\n- two of the items\n- the last item\n\n</Note>\n';
  const [first] = await mdx(list, { chunk_size: 40, min_chunk_size: 0 });
  t.equal(first?.text, '<Note>\n\n- one of the items\n');
  for (const chunk_size of [60, 90, 130]) {
    const chunks = await mdx(text, { chunk_size, min_chunk_size: 0 });
    const broken = notes.filter((one) => !chunks.some((own) => own.text.includes(one.trimEnd())));
    t.same(broken, [], `${chunk_size}`);
    t.notOk(
      chunks.some((own) => /<Note>\s*$/.test(own.text)),
      'no chunk ends with an opening tag',
    );
  }
});
