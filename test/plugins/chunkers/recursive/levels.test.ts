import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import {
  cutAfterBlankLines,
  cutAtLineStarts,
  findMarkdownCuts,
} from '../../../../plugins/chunkers/recursive/levels.ts';
import { openChunkers } from '../../../support/service.ts';
import { testCuts } from '../cuts.ts';

const chunk = await openChunkers();

const CALL = '## Use\n\nCall it like this:\n\n```js\nconst a = open("file");\na.read();\na.close();\n```\n\n';
const START = '## Start\n\n```sh\n# install it\nnpm ci\n# run it\nnpm start\n```\n\n';
const TITLES =
  'First paragraph is here now.\n\n‖Second title\n------------\n\nMore text that belongs to it.\n';
const ROWS = '| Name | Use |\n| --- | --- |\n‖| one, two | it. Is |\n| three | that. |\n';

await testCuts(
  t,
  'recursive',
  { recipe: 'markdown' },
  {
    'the recipe markdown never cuts a fence that fits': [
      [`${CALL}‖Then look at the result, which is a list.\n`, { chunk_size: 90 }],
    ],
    'a # within a fence is no heading': [[`${START}‖Done with all of this, at last.\n`, { chunk_size: 64 }]],
    'a title keeps its underline': [[TITLES, { chunk_size: 60 }]],
    'what does not fit is cut between its lines, and rows of tables stay whole': [
      ['```\nfirst line\nsecond line\n‖third line\n```\n', { chunk_size: 30 }],
      [ROWS, { chunk_size: 50 }],
      [`| Of one | and two |\n${ROWS}`, { chunk_size: 70 }],
      ['$$\n# first\n‖# second\n$$\n', { chunk_size: 14 }],
    ],
  },
);

t.test('headings are those of Markdown, with their depths', async (t) => {
  const depths = (text: string) => findMarkdownCuts(text).headings.map(({ at, depth }) => [at, depth]);
  t.same(depths(START), [[0, 2]]);
  t.same(depths('One\n===\n\nTwo\nlines\n--\n').join(), '0,1,9,2');
});

t.test('no closing fence begins a chunk where the whole fence fits', async () => {
  const prose = ['# A\n\n', 'Title\n=====\n\n', 'Some words. And more of them here.\n\n', 'Like this:\n\n'];
  const pieces = [...prose, '- item\n', '| a | b |\n', '\n'];
  const fences = ['```\nlet a = 1;\n\n# no\n```\n', '~~~~js\n```\nlet b;\n~~~~\n\n'];
  const anyText = fc.array(fc.constantFrom(...pieces, ...fences), { minLength: 1, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(anyText, fc.integer({ min: 28, max: 120 }), async (parts, chunk_size) => {
      const text = parts.join('');
      const chunks = await chunk('recursive', { text, chunk_size, recipe: 'markdown' });
      for (const { end_index } of chunks)
        for (const fence of fences)
          assert.ok(!cutWithin(parts, fence, end_index), `${end_index} of ${JSON.stringify(text)}`);
    }),
    { numRuns: 100 },
  );
});

/** Whether an offset lies within a fence, unless that is cut for a heading above it; then, whether it is before the closing one. */
function cutWithin(parts: readonly string[], fence: string, offset: number): boolean {
  let start = 0;
  let isHeaded = false;
  return parts.some((part) => {
    const whole = part.trimEnd();
    const closing = start + whole.lastIndexOf('\n') + 1;
    const isWithin = isHeaded ? offset === closing : offset > start && offset < start + whole.length;
    isHeaded = part.startsWith('#') || (isHeaded && /^(?:\n|Title|Like)/.test(part));
    start += part.length;
    return part === fence && isWithin;
  });
}

t.test('cuts before lines that begin with a string', async (t) => {
  const starts = cutAtLineStarts(['# ']);
  t.same(starts('# a\n# b\r\n# c #', 0, 15), [4, 9]);
});

t.test('a stretch is cut behind two blank lines first, whatever white space they hold', async (t) => {
  const find = cutAfterBlankLines(2);
  for (const [text, ...cuts] of [
    ['a\n\nb\n\n\nc', 7],
    ['a\r\n\r\n\r\nb', 7],
    ['a\n \t\n\u3000\n  b', 7],
    ['\n\n\na\n\n\n'],
    [''],
  ] as const)
    t.same(find(text, 0, text.length), cuts, JSON.stringify(text));
  const long = `a\n${' \n'.repeat(300_000)}b${'\n'.repeat(300_000)}`;
  t.equal(find(long, 0, long.length).length, 1);
});
