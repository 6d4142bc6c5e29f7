import t from 'tap';
import { findStructure } from '../../../../plugins/chunkers/html/structure/find-structure.ts';
import { startServer } from '../../../support/server.ts';
import { openChunkers } from '../../../support/service.ts';

interface HtmlChunk {
  readonly text: string;
  readonly heading_path: readonly string[];
  readonly kinds: readonly string[];
  readonly rows?: readonly number[];
  readonly context?: string;
  readonly context_shortened?: boolean;
}

const send = await openChunkers();
const chunk = async (text: string, options: object): Promise<HtmlChunk[]> =>
  (await send('html', { text, min_chunk_size: 0, ...options })) as unknown as HtmlChunk[];
const texts = async (text: string, options: object) => (await chunk(text, options)).map((one) => one.text);

t.test('what closes stays with what it closes, what opens with what it opens', async (t) => {
  const parts = [
    '\ufeff<!DOCTYPE html>\n<body><div><p>One is here.</p>\n</div> <!-- end -->\n',
    '<!-- two -->\n<a href=x><div class="b"><section><p>Two is here.</p></section></div></a>\n',
    '<div></div><span class=icon></span><p>Three is here, and is longer.',
    '<p>Four is here, and is longer than the others are.</div>\n\n',
    'Five stands alone, without any tags around it.',
  ];
  t.same(await texts(parts.join(''), { chunk_size: 90 }), parts);
});

t.test('lists are cut between items, tables between rows, code between lines', async (t) => {
  const list = [
    '<ul><li>One and more<ul><li>a</li><li>b</li></ul>',
    '<li>Two and more and even more of it',
    '<li>Three</ul>',
  ];
  t.same(await texts(list.join(''), { chunk_size: 49 }), list);
  const code = ['<pre><b>let</b> a = 1;\n', 'let b = "<b>";\r\n', 'let c = 3;</pre>'];
  t.same(await texts(code.join(''), { chunk_size: 24 }), code);
  const terms = ['<dl><dt>Tea<dd>is hot', '<dt>Milk<dd>is cold</dl>'];
  t.same(await texts(terms.join(''), { chunk_size: 26 }), terms);
});

t.test('blocks whose closing tags are left out lie beside each other', async (t) => {
  for (const text of [
    '<ul><li>a<li><div>b<li>c</ul>',
    '<dl><dt>a<dt>b<dt>c</dl>',
    '<p>a<p>b<p>c',
    '<table><tr><td>a<tr><td>b<tr><td>c</table>',
    '<table><tr><td>a<td>b<td>c</table>',
    '<select><option>a<option>b<option>c</select>',
  ]) {
    const { ranks } = findStructure(text, []).outline;
    t.equal(ranks.length, 4, text);
    t.equal(ranks[1], ranks[2], text);
  }
});

t.test('an entity is cut only where it does not fit alone', async (t) => {
  const text = `<p>${'a&amp;'.repeat(20)}<b>${'&#x1f600;'.repeat(20)}</b></p>`;
  const parts = await texts(text, { chunk_size: 11 });
  t.ok(
    parts.every((part) => !/&[^;]*$/.test(part)),
    parts.join('|'),
  );
  t.ok((await texts(text, { chunk_size: 4 })).every((part) => part.length <= 4));
});

t.test('a heading stays with what it leads into, however large that is', async (t) => {
  const parts = [
    '<h1>A</h1><h2>B</h2><p>First sentence. ',
    'Second sentence, a long one.</p>',
    '<h2>C</h2><h2>D</h2>text',
  ];
  t.same(await texts(parts.join(''), { chunk_size: 42 }), parts);
  const item = ['<ul><li><h3>A</h3></li>', '<li>Text of the next one</li></ul>'];
  t.same(await texts(item.join(''), { chunk_size: 40 }), item, 'an item ends what it leads into');
});

t.test('split_level begins a chunk at every heading of a level', async (t) => {
  const parts = ['<h1>A</h1>a', '<h2>B</h2>b<h3>C</h3>c', '<div><h2>D</h2></div>d'];
  t.same(await texts(parts.join(''), { split_level: 2 }), parts);
  t.same(await texts(parts.join(''), {}), [parts.join('')]);
});

t.test('headings hold until the next that is not deeper, and within their sectioning elements', async (t) => {
  const text =
    '<h1>A <em>x</em> &amp;\n y</h1>0<h2>B</h2>1<aside><h2>C</h2>2</aside>\n</div>3<nav>4</nav><h1>D</h1><h3>E</h3>5<section><h1>F</h1>6</section>7 7 7 7';
  const paths = (await chunk(text, { chunk_size: 33 })).map(({ text, heading_path }) => [
    text
      .replace(/<[^>]*>/g, '')
      .trim()
      .at(-1),
    heading_path,
  ]);
  const found = new Map(paths as [string, string[]][]);
  t.same(found.get('1'), ['A x & y', 'B']);
  t.same(found.get('2'), ['A x & y', 'B', 'C'], 'below the heading around');
  t.same(found.get('4'), ['A x & y', 'B'], 'and no further than its element');
  t.same(found.get('5'), ['D', 'E']);
  t.same(found.get('6'), ['D', 'E', 'F']);
  t.same(found.get('7'), ['D', 'E']);
  const image = await chunk('<h1>A</h1>a<h2><img alt=b></h2>b', { split_level: 2 });
  t.same(
    image.map(({ heading_path }) => heading_path),
    [['A'], ['A']],
    'a heading without words has no name',
  );
});

t.test('kinds are those of all blocks in a chunk', async (t) => {
  const text =
    '<head><meta charset=x></head><h1>a</h1><ul><li><p>b<li><pre>c</pre></ul><table><tr><td>d</table><blockquote>e</blockquote><!-- f --><script>g</script>h';
  const [all] = await chunk(text, {});
  t.same(all?.kinds, [
    'metadata',
    'heading',
    'list',
    'paragraph',
    'code',
    'table',
    'quote',
    'comment',
    'script',
    'text',
  ]);
});

const HEADER = '<table><caption>C</caption><thead><tr><th>k<th>v</thead>';

t.test('rows carry the header of their table', async (t) => {
  const parts = [
    `${HEADER}<tbody><tr><td>1<td>one`,
    '<tr><td>2<td>two<tr><td>3<td>three</table>',
    '<p>end, and some more words</p>',
  ];
  const [first, second, third] = await chunk(parts.join(''), { chunk_size: 116 });
  t.same(first?.rows?.[0], 1);
  t.equal(first?.context, undefined);
  t.equal(second?.context ?? third?.context, HEADER);
  const none = await chunk(parts.join(''), { chunk_size: 116, carry: [] });
  t.ok(none.every(({ context }) => context === undefined));
  const small = await chunk(parts.join(''), { chunk_size: 60 });
  t.ok(
    small.some(({ context_shortened }) => context_shortened === true),
    'a header of more than half is left out',
  );
});

t.test('rows of nothing but th are the header; of nested tables the outermost with one counts', async (t) => {
  const body = '<tr><td>1<td><table><tr><td>inner</table><tr><td>2<td>b<tr><td>3<td>c</table>';
  const chunks = await chunk(`<table><tr><th>k<th>v<tr><th>in<th>out${body}`, { chunk_size: 90 });
  t.equal(chunks.at(-1)?.context, '<table><tr><th>k<th>v<tr><th>in<th>out');
  t.equal(chunks.at(-1)?.rows?.[1], 3);
  const layout = await chunk('<table><tr><td>a<table><tr><th>k<tr><td>1<tr><td>2</table></table>', {
    chunk_size: 30,
    min_chunk_size: 0,
  });
  t.ok(layout.some(({ context }) => context === undefined || context === '<table><tr><th>k'));
});

t.test('carry has the path of headings, without those with which the chunk begins', async (t) => {
  const text = '<h1>A</h1>a<h2>B</h2><p>First words.</p><p>Second words.</p>';
  const chunks = await chunk(text, { chunk_size: 34, carry: ['headings'] });
  t.same(
    chunks.map(({ context }) => context),
    [undefined, 'A', 'A > B'],
  );
});

t.test('oversize keep leaves rows and code whole, and splits the rest', async (t) => {
  const row = `<tr><td>${'one two '.repeat(10)}</td><td>b</td></tr>`;
  const script = `<script>${'let a; '.repeat(10)}</script>`;
  const text = `<p>${'Some words. '.repeat(10)}</p><table><tr><td>a</td></tr>${row}</table>${script}<p>end</p>`;
  const chunks = await chunk(text, { chunk_size: 40, oversize: 'keep' });
  t.ok(chunks.some((one) => one.text.startsWith(row)));
  t.ok(chunks.some((one) => one.text.includes(script)));
  t.equal(chunks.filter((one) => one.text.length > 40).length, 2);
  t.ok((await chunk(text, { chunk_size: 40 })).every((one) => one.text.length <= 40));
});

t.test('oversize keep does not keep a row with a table in it', async (t) => {
  const inner = '<table><tr><td>one two</td></tr><tr><td>three four</td></tr></table>';
  const text = `<table><tr><td>${inner}<p>Some more words.</p></td></tr></table>`;
  t.ok((await texts(text, { chunk_size: 50, oversize: 'keep' })).every((part) => part.length <= 50));
});

t.test('skip leaves out whole elements, and a header counts them', async (t) => {
  const { post } = await startServer(t);
  const ask = async (text: string, skip: string[]) => {
    const answer = await post('/v1/chunk/html', { text, skip });
    return [answer.json<HtmlChunk[]>().map((one) => one.text), answer.headers.get('x-html-skipped')];
  };
  t.same(
    await ask('<p>a</p><SCRIPT>"<p>"</SCRIPT>\n<script>b</script><div>c<style>d</style></div>', [
      'Script',
      'style',
    ]),
    [['<p>a</p>', '<div>c'], 'script 2; style 1'],
  );
  t.same(
    await ask('<p>a<p>b<div>c</div>d', ['p']),
    [['<div>c</div>d'], 'p 2'],
    'it ends where another begins',
  );
  t.same(
    await ask('<div>a<span>b<span>c</span>d</div>e', ['span']),
    [['<div>a', '</div>e'], 'span 1'],
    'and with its block',
  );
  t.same(await ask('a<svg><path/><svg/>x</svg>b<img src=x>c', ['svg', 'img']), [
    ['a', 'b', 'c'],
    'img 1; svg 1',
  ]);
  t.same(await ask('<nav><h1>A</h1></nav>b', ['nav']), [['b'], 'nav 1']);
  t.same(await ask('<div><div>a</div>', ['div']), [[], 'div 1']);
  t.same(await ask('a', ['b']), [['a'], 'none']);
  t.same(await ask('a', []), [['a'], null]);
});
