import type { Shapes } from '../../../support/linear-work.ts';

const filled = (part: string) => (length: number) => part.repeat(Math.ceil(length / part.length));
const behind = (head: string, part: string) => (length: number) => head + filled(part)(length);
const growing = (part: (index: number) => string) => (length: number) => {
  let text = '';
  for (let index = 0; text.length < length; index++) text += part(index);
  return text;
};

/** Texts that make other parsers of Markdown quadratic or overflow their stack, of about a given length. */
export const HOSTILE_SHAPES: Shapes = {
  'quotes in one line': filled('> '),
  'quotes, then lazy lines': behind('> '.repeat(200), 'a\n'),
  'lists in one line': filled('- '),
  'lists, then blank lines': (length) => '- '.repeat(length / 4) + '\n'.repeat(length / 2),
  'lists on ever deeper lines': growing((index) => `${' '.repeat(index % 60)}- a\n`),
  'numbers of lists': filled('1. '),
  'quotes and lists by turns': filled('> - '),
  'open brackets': filled('['),
  stars: (length) => `${'*'.repeat(length / 2)}a${'*'.repeat(length / 2)}`,
  'stars and letters by turns': filled('*a_ '),
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
  'fences of all lengths': growing((index) => `${'`'.repeat((index % 200) + 3)}\n`),
  'a fence, and shorter ones in it': behind('`````\n', '```\n'),
  'a fence with a long first line': (length) =>
    `\`\`\`${'a '.repeat(length / 4)}\n${'b\n'.repeat(length / 4)}`,
  'link definitions': growing((index) => `[a${index}]: /b\n`),
  'titles that do not end': filled("[a]: /b 'c\n"),
  'a title that does not end': behind('[a]: /b "', 'x\n'),
  'footnotes in footnotes': filled('[^1]: '),
  'less-than signs': filled('<'),
  tags: filled('<a '),
  'tags with attributes': filled('<a b="c" '),
  comments: filled('<!-- '),
  'blocks of HTML': filled('<div>\n\n'),
  'a paragraph of lines': filled('a\n'),
  'a paragraph of lines, underlined': (length) => `${'a\n'.repeat(length / 2)}===\n`,
  'lines that end in a colon': filled('a:\n'),
  'blank lines': behind('a', '\n'),
  'carriage returns': (length) => '\r'.repeat(length / 2) + 'a\r'.repeat(length / 4),
  'deep indentation': (length) => `${' '.repeat(length)}a`,
  tabs: (length) => `${'\t'.repeat(length)}a`,
  'one word': filled('x'),
};
