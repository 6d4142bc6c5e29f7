import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { writeMarkdown } from '../../../../plugins/readers/tika/markdown.ts';
import WRITTEN from './markdown.json' with { type: 'json' };
import { xhtml } from './support/tika.ts';

/** The text, and where its pages begin. */
const startsIn = ({ text, places }: ReturnType<typeof writeMarkdown>) => ({
  text,
  pages: places.map(({ start }) => start),
});
const textOf = (body: string) => writeMarkdown(xhtml(body, 'not in the text')).text;

t.test('headings, paragraphs, lists, tables and code become Markdown', async (t) => {
  for (const [body, markdown] of Object.entries(WRITTEN)) t.equal(textOf(body), markdown);
});

t.test('pages, slides and sheets begin where their text does', async (t) => {
  const page = (text: string, kind = 'page') => `<div class="${kind}"><p />\n<p>${text}</p>\n<p />\n</div>`;
  for (const [body, text, pages] of [
    [page('One.') + page('') + page('Three.'), 'One.\n\nThree.', [0, 6, 6]],
    [page('One.') + page(''), 'One.', [0, 4]],
    [`<p>Before.</p>${page('One.')}${page('Two.')}`, 'Before.\n\nOne.\n\nTwo.', [0, 15]],
    [
      '<div class="slideShow"><div class="slide"><div class="slide-content">a</div></div><div class="slide"><p>b</p></div></div>',
      'a\n\nb',
      [0, 3],
    ],
    [page('<h1>Sheet</h1>', 'sheet'), '# Sheet', [0]],
    ['<p>No pages.</p>', 'No pages.', []],
  ] as const)
    t.same(startsIn(writeMarkdown(xhtml(body))), { text, pages });
});

t.test('no word is lost, whatever the elements are', async () => {
  const names = [
    ...['p', 'div', 'h2', 'ul', 'ol', 'li', 'table', 'tr', 'td', 'b', 'a', 'pre', 'span'],
    'blockquote',
  ];
  const piece = fc.oneof(
    { weight: 2, arbitrary: fc.stringMatching(/^[a-z]{1,8}$/).map((word) => ` ${word} `) },
    fc.constantFrom(...names.flatMap((name) => [`<${name}>`, `</${name}>`, `<${name} />`])),
    fc.constantFrom('<div class="page">', '<a href="https://a.example">', '<br />', '&amp;', '\n', '😀'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const { text, pages } = startsIn(writeMarkdown(xhtml(pieces.join(''))));
      const words = pieces.filter((one) => one.startsWith(' '));
      for (const word of words) assert.ok(text.includes(word.trim()), `${word} in ${text}`);
      assert.ok(pages.every((start, index) => start >= (pages[index - 1] ?? 0) && start <= text.length));
    }),
  );
});
