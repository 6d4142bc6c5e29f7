import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { writeMarkdown } from '../../../../plugins/readers/tika/markdown.ts';
import { xhtml } from './support/tika.ts';

const textOf = (body: string) => writeMarkdown(xhtml(body, 'not in the text')).text;

t.test('headings, paragraphs, lists, tables and code become Markdown', async (t) => {
  for (const [body, markdown] of Object.entries({
    '<h1>A\n title</h1>\n<p>First\nlines. </p>\n<p>\n</p>\n<p>Second.</p>':
      '# A title\n\nFirst\nlines.\n\nSecond.',
    '<p>a<br />b <b>bold</b> <i>it</i>alic</p>': 'a\nb bold italic',
    '<ul>\t<li>a</li>\n\t<li>b<ul>\t<li>c</li></ul></li>\n</ul><ol>\t<li>d</li>\t<li><p>e</p><p>f</p></li></ol>':
      '- a\n- b\n  - c\n\n1. d\n2. e\n\n  f',
    '<table><tbody><tr>\t<td><p>Name</p>\n</td>\t<td>a|b</td></tr>\n<tr>\t<td>1</td>\t<td /><td>3</td></tr></tbody></table>':
      '| Name | a\\|b |  |\n| --- | --- | --- |\n| 1 |  | 3 |',
    '<table><tr><td>a<table><tr><td>b</td><td>c</td></tr></table></td></tr></table>': '| a b c |\n| --- |',
    '<pre>if (a &lt; b)\n  ```x```</pre>': '````\nif (a < b)\n  ```x```\n````',
    '<p><a href="https://a.example/?b=1&amp;c">text</a> <a href="#x">y</a> <a href="javascript:z">z</a></p>':
      '[text](https://a.example/?b=1&c) y z',
    '<div class="annotation"><a href="https://a.example/">https://a.example/</a></div>': 'https://a.example/',
    '<p><img src="embedded:image1.png" alt="image1.png" /><img src="embedded:2" alt="A cup" /></p>': 'A cup',
    '<p>&lt;b&gt; &amp;amp; &quot;&#x1F600;&#233; &#xD800;</p>': '\\<b> &amp; "😀é &#xD800;',
    '<p># no heading</p><p>a\n---\n=== \n```</p><p>1. kept</p><p>a &lt; b</p>':
      '\\# no heading\n\na\n\\---\n\\===\n\\```\n\n1. kept\n\na < b',
    'stray <p>text</p> behind': 'stray\n\ntext\n\nbehind',
    '<p>not closed': 'not closed',
    '<table><tr><td>not closed': 'not closed',
    '': '',
  }))
    t.equal(textOf(body), markdown);
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
    t.same(writeMarkdown(xhtml(body)), { text, pages });
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
      const { text, pages } = writeMarkdown(xhtml(pieces.join('')));
      const words = pieces.filter((one) => one.startsWith(' '));
      for (const word of words) assert.ok(text.includes(word.trim()), `${word} in ${text}`);
      assert.ok(pages.every((start, index) => start >= (pages[index - 1] ?? 0) && start <= text.length));
    }),
  );
});
