import t from 'tap';
import createReader from '../../../../plugins/readers/notebook/index.ts';
import { readWith } from '../reading.ts';

const read = (...cells: readonly object[]) => readWith(createReader, JSON.stringify({ nbformat: 4, cells }));
const stream = (text: string | readonly string[], name = 'stderr') => ({ output_type: 'stream', name, text });
const shown = async (...outputs: readonly object[]) => {
  const { text } = await read({ cell_type: 'code', source: '', outputs });
  return Array.from(text.matchAll(/```text\n([\s\S]*?)\n```/g), ([, inner]) => inner);
};

t.test('outputs are what a terminal shows in the end', async (t) => {
  for (const [written, text] of [
    ['\r  0%|     | 0/10\r 50%|##   | 5/10\r100%|#####| 10/10\n', '100%|#####| 10/10'],
    ['a\n\r 1%\r 2%\nb', 'a\n 2%\nb'],
    ['Loading ...\rDone', 'Done'],
    ['Done\r', 'Done'],
    ['Done\r   \r', 'Done'],
    ['one\r\ntwo\r\n', 'one\ntwo'],
    ['long text\r\u001b[Kshort', 'short'],
    ['long text\u001b[2K\rshort', 'short'],
    ['1/2 [>.]\b\b\b\b\b\b\b\b2/2 [==]', '2/2 [==]'],
    ['a\n\bb', 'a\nb'],
    ['outer 0%\ninner 0%\u001b[A\router 50%\n\rinner 100%', 'outer 50%\ninner 100%'],
    ['\u001b[31mred\u001b[0m \u001b]8;;https://a.org\u0007link\u001b]8;;\u0007', 'red link'],
    ['\u001b[9999999A\u001b[5Ax', 'x'],
    ['50%\u001b[32m done\u001b[0m\r100%\u001b[32m done\u001b[0m', '100% done'],
  ] as const)
    t.same(await shown(stream(written)), [text], JSON.stringify(written));
});

t.test('streams that follow each other are one text, if they are the same', async (t) => {
  t.same(await shown(stream('\r 1%'), stream(['\r 2', '%']), stream('\r 3%\n')), [' 3%']);
  t.same(await shown(stream('a\n'), stream('b', 'stdout'), stream('c\n')), ['a', 'b', 'c']);
});

t.test('long outputs with moves take linear time', async (t) => {
  for (const part of ['a\r', 'a\b', 'a\u001b[A', 'a\n\u001b[1A', '\u001b[K', 'ab\b\b\b'])
    t.ok((await shown(stream(part.repeat(200_000)))).length <= 1, JSON.stringify(part));
  t.ok((await shown(stream('ab\b'.repeat(500_000))))[0]?.startsWith('ab'));
});

t.test('pictures say no more than what they show, and are counted', async (t) => {
  const picture = (text: string) => ({
    output_type: 'display_data',
    data: { 'image/png': 'iVBO', 'text/plain': [text] },
  });
  for (const name of ['<Figure size 640x480 with 1 Axes>', '<PIL.Image.Image image mode=RGB size=9x9>'])
    t.same(await shown(picture(name)), []);
  t.same(await shown(picture('<a> and <b>')), ['<a> and <b>']);
  t.same(await shown({ output_type: 'execute_result', data: { 'text/plain': '<module x>' } }), [
    '<module x>',
  ]);
  const { leftOut } = await read({
    cell_type: 'code',
    source: 'x',
    outputs: [
      picture('<Figure>'),
      picture('y'),
      { output_type: 'display_data', data: { 'text/html': '<b>z</b>' } },
    ],
  });
  t.same(leftOut, { image: 2, html: 1 });
  const table = { 'text/html': '<table>', 'text/plain': 'a b' };
  t.same(
    (
      await read({
        cell_type: 'code',
        source: 'x',
        outputs: [{ output_type: 'execute_result', data: table }],
      })
    ).leftOut,
    {},
  );
});

t.test('data addresses in Markdown are left out, and counted', async (t) => {
  const data = `data:image/png;base64,${'iVBORw0KGgo'.repeat(20)}==`;
  const svg = `data:image/svg+xml;charset=utf-8,%3Csvg%20${'x'.repeat(99)}`;
  for (const [written, text] of [
    [`a ![plot](${data}) b`, 'a ![plot]() b'],
    [`![plot](${data} "Title")`, '![plot]( "Title")'],
    [`<img src="${data}" alt="x"/>`, '<img src="" alt="x"/>'],
    [`<img src='${svg}'>`, "<img src=''>"],
    [`![a][1]\n\n[1]: <${data}>`, '![a][1]\n\n[1]: <>'],
    [`[file](data:text/csv;charset=utf-8;base64,${'YSxi'.repeat(40)})`, '[file]()'],
  ] as const) {
    const { text: found, leftOut } = await read({ cell_type: 'markdown', source: written });
    t.same([found, leftOut], [text, { data_address: 1 }]);
  }
  for (const kept of ['data:image/gif;base64,R0lGOD', 'the data: a, b and c', 'metadata:x/y,z', 'data:,'])
    t.equal((await read({ cell_type: 'markdown', source: kept })).text, kept);
  const code = { cell_type: 'code', source: `x = "${data}"` };
  t.ok((await read(code)).text.includes(data), 'code stays');
  t.same(await shown({ output_type: 'display_data', data: { 'text/markdown': `![x](${data})` } }), [
    '![x]()',
  ]);
});
