import t from 'tap';
import createReader from '../../../../plugins/readers/html/index.ts';
import { readWith } from '../reading.ts';

const readPage = async (html: string, options = {}) => {
  let leftOut = '';
  const report = (name: string, value: string): void => {
    if (name === 'html-left-out') leftOut = value;
  };
  return { ...(await readWith(createReader, html, {}, options, report)), counted: () => leftOut };
};
const textOf = async (html: string) => (await readPage(html)).text;

t.test('heads and feet of tables stand where browsers show them', async (t) => {
  const [head, body, foot] = [
    '<thead><tr><th>A<th>B</thead>',
    '<tbody><tr><td>1<td>2</tbody>',
    '<tfoot><tr><td>3<td>4</tfoot>',
  ];
  const table = '| A | B |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |';
  for (const parts of [
    [head, foot, body],
    [head, body, foot],
    [body, foot, head],
    [foot, body, head],
    ['<caption>C</caption><colgroup><col>', foot, head, body],
  ])
    t.equal((await textOf(`<table>${parts.join('')}</table>`)).replace(/^C\n\n/, ''), table, parts.join(''));
  t.equal(await textOf(`<table>${foot}<tr><td>1<td>2</table>`), '| | |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |');
});

t.test('declarative shadow roots are shown, with what stands in their slots', async (t) => {
  const root = (content: string, mode = 'open') => `<template shadowrootmode="${mode}">${content}</template>`;
  for (const [html, text] of [
    [`<my-card>${root('<p>Shadow</p><slot></slot>')}light</my-card>`, 'Shadow\n\nlight'],
    [`<my-card>light${root('<slot></slot><p>Shadow</p>', 'closed')}</my-card>`, 'light\n\nShadow'],
    [
      `<div>${root('<h1><slot name="t">No title</slot></h1><slot>Nothing</slot>')}<span slot="t">Title</span><p>Body</p></div>`,
      '# Title\n\nBody',
    ],
    [`<div>${root('<slot name="t">Default</slot>')}</div>`, 'Default'],
    [`<div>${root(`<div>${root('Inner <slot></slot>')}<slot></slot></div>`)}light</div>`, 'Inner light'],
    [`<div>${root('Shadow')}<p>light</p></div>`, 'Shadow'],
    [`<div>${root('One')}${root('Two')}</div>`, 'One'],
    [`<div><template>no</template>yes</div>`, 'yes'],
    [`<div><template shadowrootmode="none">no</template>yes</div>`, 'yes'],
    [`<table><tr><td>${root('<b>a</b>')}<td>b</table>`, 'a\n\nb'],
  ] as const)
    t.equal(await textOf(html), text, html);
  t.equal((await readPage(`<div>${root('Shadow')}<p>light</p> </div>`)).counted(), 'hidden 1');
  const many = `<p>${root('<slot></slot>')}x</p>`.repeat(5000);
  t.equal((await textOf(many)).split('\n\n').length, 5000);
});

t.test('a page of frames shows what it has without frames, and its frames are counted', async (t) => {
  const frames = '<frameset cols="20%,80%"><frame src="a.html"><frame src="b.html">';
  const page = await readPage(
    `<title>T</title>${frames}<noframes><body><h1>No</h1><p>frames &amp; co</body></noframes></frameset>`,
  );
  t.match(page, { text: '# No\n\nframes & co', title: 'T' });
  t.equal(page.counted(), 'frame 2');
  t.equal((await readPage(`${frames}<noframes> </noframes></frameset>`)).counted(), 'frame 2; noframes 1');
  const normal = await readPage('<p>a<noframes>b</noframes>');
  t.match([normal.text, normal.counted()], ['a', 'noframes 1']);
  t.equal(
    await textOf(`${frames}<noframes>a<frameset><noframes>b</noframes></frameset></noframes></frameset>`),
    'a',
  );
});

t.test('items have the numbers that browsers show', async (t) => {
  for (const [html, text] of [
    ['<ol><li>a<li value=5>b<li>c</ol>', '1. a\n5. b\n6. c'],
    ['<ol reversed><li>a<li>b<li>c</ol>', '3. a\n2. b\n1. c'],
    ['<ol reversed start=9><li>a<li>b</ol>', '9. a\n8. b'],
    ['<ol type=a><li>x<li>y</ol>', '- a. x\n- b. y'],
    ['<ol type=A start=27><li><p>x</ol>', '- AA. x'],
    ['<ol type=i start=4><li>x<li type=1>y</ol>', '- iv. x\n5. y'],
    ['<ol type=I><li>x</ol>', '- I. x'],
    ['<ol start=-1><li>x<li>y<li>z</ol>', '- -1. x\n0. y\n1. z'],
    ['<ol type=a><li><img src=x><li>y</ol>', '- b. y'],
    ['<ul type=a><li value=5>x</ul>', '- x'],
  ] as const)
    t.equal(await textOf(html), text, html);
});
