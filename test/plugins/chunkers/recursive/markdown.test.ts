import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { findMarkdownBlocks } from '../../../../core/engine/markdown/find-blocks.ts';
import { findMarkdownCuts as findCuts } from '../../../../plugins/chunkers/recursive/markdown.ts';
import { openChunkers } from '../../../support/service.ts';

const findMarkdownCuts = (text: string) => findCuts(text, findMarkdownBlocks(text));
const chunk = await openChunkers();
const texts = async (text: string, chunk_size: number) =>
  (await chunk('recursive', { text, chunk_size, recipe: 'markdown' })).map(({ text }) => text);

t.test('the recipe markdown never cuts a fence that fits', async (t) => {
  const fence = '```js\nconst a = open("file");\na.read();\na.close();\n```\n\n';
  const end = 'Then look at the result, which is a list.\n';
  t.same(await texts(`## Use\n\nCall it like this:\n\n${fence}${end}`, 90), [
    `## Use\n\nCall it like this:\n\n${fence}`,
    end,
  ]);
});

t.test('a # within a fence is no heading', async (t) => {
  const start = '## Start\n\n```sh\n# install it\nnpm ci\n# run it\nnpm start\n```\n\n';
  t.same(await texts(`${start}Done with all of this, at last.\n`, 64), [
    start,
    'Done with all of this, at last.\n',
  ]);
  t.same(findMarkdownCuts(start).headings, [{ at: 0, depth: 2 }]);
});

t.test('a title keeps its underline', async (t) => {
  const first = 'First paragraph is here now.\n\n';
  const second = 'Second title\n------------\n\nMore text that belongs to it.\n';
  t.same(await texts(first + second, 60), [first, second]);
  t.same(findMarkdownCuts('One\n===\n\nTwo\nlines\n--\n').headings, [
    { at: 0, depth: 1 },
    { at: 9, depth: 2 },
  ]);
});

t.test('fences are told as Markdown tells them', async (t) => {
  const blocks = (text: string) => {
    const { blocks, headings } = findMarkdownCuts(text);
    return { blocks: blocks.map((at) => text.slice(at).split('\n')[0]), headings: headings.length };
  };
  for (const fence of [
    '```\n# a\n```',
    '~~~~ md\n# a\n~~~\n```\n# b\n~~~~',
    '   ````\n# a\n```\n# b\n   `````',
    '```\r\n# a\r\n```\r',
    '```\n    ```\n# a\n```js\n# b\n```',
  ]) {
    t.same(blocks(`${fence}\nText\n`), { blocks: [fence.split('\n')[0], 'Text'], headings: 0 }, fence);
  }
  t.same(blocks('Text\n\n```\n# a\n\n# b\n'), { blocks: ['Text', '```'], headings: 0 }, 'to the end');
  t.same(blocks('``` `x`\n# a\n').headings, 1, 'a run of backticks in a line is no fence');
  t.same(blocks('- item\n\n  ```\n  # a\n  ```\n\nText\n'), { blocks: ['- item', 'Text'], headings: 0 });
  t.equal(blocks('- item\n\n  ```\n# a\n').headings, 1, 'a fence ends with its list');
});

t.test('what does not fit is cut between its lines, and rows of tables stay whole', async (t) => {
  const fence = '```\nfirst line\nsecond line\nthird line\n```\n';
  t.same(await texts(fence, 30), ['```\nfirst line\nsecond line\n', 'third line\n```\n']);
  const table = '| Name | Use |\n| --- | --- |\n| one, two | it. Is |\n| three | that. |\n';
  t.same(await texts(table, 50), [
    '| Name | Use |\n| --- | --- |\n',
    '| one, two | it. Is |\n| three | that. |\n',
  ]);
});

t.test('no closing fence begins a chunk where the whole fence fits', async () => {
  const pieces = [
    '# A\n\n',
    'Title\n=====\n\n',
    'Some words. And more of them here.\n\n',
    'Like this:\n\n',
    '- item\n',
    '| a | b |\n',
    '\n',
  ];
  const fences = ['```\nlet a = 1;\n\n# no\n```\n', '~~~~js\n```\nlet b;\n~~~~\n\n'];
  const anyText = fc.array(fc.constantFrom(...pieces, ...fences), { minLength: 1, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(anyText, fc.integer({ min: 28, max: 120 }), async (parts, chunk_size) => {
      const text = parts.join('');
      const found = await texts(text, chunk_size);
      assert.equal(found.join(''), text.trim() === '' ? '' : text);
      let at = 0;
      for (const part of found) {
        assert.ok(part.length <= chunk_size);
        at += part.length;
        const isCut = fences.some((fence) => cutWithin(parts, fence, at));
        assert.ok(!isCut, JSON.stringify(part));
      }
    }),
    { numRuns: 300 },
  );
});

/** Whether an offset lies within one of the fences. */
function cutWithin(parts: readonly string[], fence: string, offset: number): boolean {
  let start = 0;
  return parts.some((part) => {
    const isWithin = part === fence && offset > start && offset < start + part.trimEnd().length;
    start += part.length;
    return isWithin;
  });
}
