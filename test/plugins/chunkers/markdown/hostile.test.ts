import t from 'tap';
import { checkLinearWork } from '../../../support/linear-work.ts';
import { composeQuietly, runTask } from '../../../support/service.ts';

/** Texts that make other parsers of Markdown quadratic or overflow their stack. */

const filled = (part: string) => (length: number) => part.repeat(Math.ceil(length / part.length));
const behind = (head: string, part: string) => (length: number) => head + filled(part)(length);
const growing = (part: (index: number) => string) => (length: number) => {
  let text = '';
  for (let index = 0; text.length < length; index++) text += part(index);
  return text;
};

const SHAPES: Readonly<Record<string, (length: number) => string>> = {
  'quotes in one line': filled('> '),
  'quotes, then lazy lines': behind('> '.repeat(200), 'a\n'),
  'lists in one line': filled('- '),
  'lists, then blank lines': (length) => '- '.repeat(length / 4) + '\n'.repeat(length / 2),
  'lists on ever deeper lines': growing((index) => `${' '.repeat(index % 60)}- a\n`),
  'numbers of lists': filled('1. '),
  'quotes and lists by turns': filled('> - '),
  'open brackets': filled('['),
  stars: filled('*a '),
  'backticks of all lengths': growing((index) => `${'`'.repeat(index % 80)} `),
  headings: filled('# a\n'),
  'headings of levels by turns': filled('# a\n## b\n### c\n'),
  'long headings with text': growing((index) => `${'#'.repeat((index % 6) + 1)} ${'h'.repeat(150)}\nx\n`),
  'one heading': behind('# ', 'a '),
  'one table': behind('| a | b |\n|---|---|\n', '| 1 | 2 |\n'),
  'a table of one wide row': (length) => {
    const row = '| a '.repeat(length / 12);
    return `${row}|\n${'|---'.repeat(length / 12)}|\n${row}|\n`;
  },
  'delimiter rows': filled('|---|---|\n'),
  'a fence that is not closed': behind('```\n', 'code\n'),
  'a fence, and shorter ones in it': behind('`````\n', '```\n'),
  'a fence with a long first line': (length) =>
    `\`\`\`${'a '.repeat(length / 4)}\n${'b\n'.repeat(length / 4)}`,
  'link definitions': filled('[a]: /b\n'),
  'a title that does not end': behind('[a]: /b "', 'x\n'),
  'footnotes in footnotes': filled('[^1]: '),
  tags: filled('<a '),
  comments: filled('<!-- '),
  'blocks of HTML': filled('<div>\n\n'),
  'a paragraph of lines': filled('a\n'),
  'a paragraph of lines, underlined': (length) => `${'a\n'.repeat(length / 2)}===\n`,
  'carriage returns': filled('\r'),
  'deep indentation': (length) => `${' '.repeat(length)}a`,
};

const REQUESTS = [
  { chunk_size: 512 },
  { chunk_size: 3 },
  { chunk_size: 64, carry: ['headings', 'header', 'fence'], count_context: true, include_blocks: true },
];

const { service } = await composeQuietly();
const chunk = (text: string, options: object) =>
  runTask(service, { run: 'chunk', name: 'markdown' }, { text, ...options });
t.test('the work is linear in the text', (t) => checkLinearWork(t, SHAPES, REQUESTS, chunk));

t.test('5 MB of what nests without end overflow no stack', async (t) => {
  for (const shape of [
    'quotes in one line',
    'lists in one line',
    'footnotes in footnotes',
    'blocks of HTML',
  ]) {
    const { bytes } = await chunk((SHAPES[shape] as (length: number) => string)(5_000_000), {
      chunk_size: 4096,
    });
    t.ok(bytes.length > 5_000_000, shape);
  }
});
