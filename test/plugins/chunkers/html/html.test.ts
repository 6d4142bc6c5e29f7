import t from 'tap';
import { findStructure } from '../../../../plugins/chunkers/html/structure/find-structure.ts';
import { openService } from '../../../support/service.ts';
import { checkDepth, testCuts } from '../cuts.ts';
import { HOSTILE_SHAPES } from './hostile-shapes.ts';

const NONE = undefined;
const TAGS = [
  '\ufeff<!DOCTYPE html>\n<body><div><p>One is here.</p>\n</div> <!-- end -->\n‖',
  '<!-- two -->\n<a href=x><div class="b"><section><p>Two is here.</p></section></div></a>\n‖',
  '<div></div><span class=icon></span><p>Three is here, and is longer.‖',
  '<p>Four is here, and is longer than the others are.</div>\n\n‖',
  'Five stands alone, without any tags around it.',
].join('');
const HEADINGS = [
  '<h1>A <em>x</em> &amp;\n y</h1>0‖<h2>B</h2>1‖<aside><h2>C</h2>2</aside>\n</div>‖3<nav>4</nav>‖',
  '<h1>D</h1><h3>E</h3>5‖<section><h1>F</h1>6</section>‖7 7 7 7',
].join('');
const PATHS = ['A x & y', 'A x & y-B', 'A x & y-B-C', 'A x & y-B', 'D-E', 'D-E-F', 'D-E'];
const KINDS = [
  '<head><meta charset=x></head><h1>a</h1><ul><li><p>b<li><pre>c</pre></ul><table><tr><td>d</table>',
  '<blockquote>e</blockquote><!-- f --><script>g</script>h',
].join('');
const HEADER = '<table><caption>C</caption><thead><tr><th>k<th>v</thead>';
const ROWS = '<tbody><tr><td>1<td>one<tr><td>2<td>two‖<tr><td>3<td>three</table>‖<p>some more words</p>';
const LARGE_HEADER = '<table><tr><th>k<th>v<tr><th>in<th>out';
const NESTED = '<tr><td>1<td><table><tr><td>inner</table>‖<tr><td>2<td>b<tr><td>3<td>c</table>';
const WIDE = [
  '<p>Some words. And some more. ‖And even more.</p>‖<table><tr><td>a</td></tr>‖<tr><td>one two one two</td></tr>',
  '</table>‖<script>let a; let a; let a;</script>‖<p>end</p>',
].join('');

await testCuts(
  t,
  'html',
  { min_chunk_size: 0 },
  {
    'what closes stays with what it closes, what opens with what it opens': [[TAGS, { chunk_size: 90 }]],
    'lists are cut between items, terms before terms, code between lines': [
      [
        '<ul><li>One and more<ul><li>a</li><li>b</li></ul>‖<li>Two and more and even more of it‖<li>Three</ul>',
        { chunk_size: 49 },
      ],
      ['<dl><dt>Tea<dd>is hot‖<dt>Milk<dd>is cold</dl>', { chunk_size: 26 }],
      ['<pre><b>let</b> a = 1;\n‖let b = "<b>";\r\n‖let c = 3;</pre>', { chunk_size: 24 }],
    ],
    'an entity is cut only where it does not fit alone': [
      ['<p>a&amp;a‖&amp;a&amp;‖a‖<b>‖&#x1f600;‖&#x1f600;‖</b>‖</p>', { chunk_size: 11 }],
      ['<p>a‖&amp‖;‖b‖</p>', { chunk_size: 4 }],
    ],
    'a heading stays with what it leads into, however large that is; an item ends that': [
      ['<h1>A</h1><h2>B</h2><p>First. ‖Second, a long one.</p>‖<h2>C</h2><h2>D</h2>d', { chunk_size: 42 }],
      ['<ul><li><h3>A</h3></li>‖<li>Text of the next one</li></ul>', { chunk_size: 40 }],
    ],
    'split_level begins a chunk at every heading of a level, and none by default': [
      ['<h1>A</h1>a‖<h2>B</h2>b<h3>C</h3>c‖<div><h2>D</h2></div>d', { split_level: 2 }],
      ['<h1>A</h1>a<h2>B</h2>b'],
    ],
    'headings hold until the next that is not deeper, within their sectioning elements; without words none has a name':
      [
        [HEADINGS, { chunk_size: 33 }, { heading_path: PATHS }],
        ['<h1>A</h1>a‖<h2><img alt=b></h2>b', { split_level: 2 }, { heading_path: ['A', 'A'] }],
      ],
    'kinds are those of all blocks in a chunk': [
      [KINDS, {}, { kinds: ['metadata-heading-list-paragraph-code-table-quote-comment-script-text'] }],
    ],
    'rows carry the header of their table, unless it is more than half of the limit': [
      [HEADER + ROWS, { chunk_size: 116 }, { rows: ['1-2', '3-3', NONE], context: [NONE, HEADER, NONE] }],
      [HEADER + ROWS, { chunk_size: 116, carry: [] }, { context: [NONE, NONE, NONE] }],
      [
        `${HEADER}‖<tr><td>1<td>one</table>`,
        { chunk_size: 60 },
        { context: [NONE, NONE], context_shortened: [NONE, true] },
      ],
    ],
    'rows of nothing but th are the header; of nested tables the outermost with one counts': [
      [LARGE_HEADER + NESTED, { chunk_size: 90 }, { rows: ['1-1', '2-3'], context: [NONE, LARGE_HEADER] }],
      [
        '<table><tr><td>a‖<table><tr><th>k<tr><td>1‖<tr><td>2</table></table>',
        { chunk_size: 34 },
        { rows: [NONE, '1-1', '2-2'], context: [NONE, NONE, '<table><tr><th>k'] },
      ],
    ],
    'carry has the path of headings, without those with which the chunk begins': [
      [
        '<h1>A</h1>a‖<h2>B</h2><p>First words.</p>‖<p>Second words.</p>',
        { chunk_size: 34, carry: ['headings'] },
        { context: [NONE, 'A', 'A > B'] },
      ],
    ],
    'oversize keep leaves rows and code whole but rows with tables in them, and splits the rest': [
      [WIDE, { chunk_size: 30, oversize: 'keep' }],
      [
        '<table><tr><td><table><tr><td>one two</td></tr>‖<tr><td>three four</td></tr></table>‖<p>Four.</p></table>',
        { chunk_size: 50, oversize: 'keep' },
      ],
    ],
  },
);

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

t.test('skip leaves out whole elements, and a header counts them', async (t) => {
  const { post } = await openService(t);
  const scripts = '<p>a</p><SCRIPT>"<p>"</SCRIPT>\n<script>b</script><div>c<style>d</style></div>';
  for (const [text, skip, left, header] of [
    [scripts, ['Script', 'style'], ['<p>a</p>', '<div>c'], 'script 2; style 1'],
    ['<p>a<p>b<div>c</div>d', ['p'], ['<div>c</div>d'], 'p 2'],
    ['<div>a<span>b<span>c</span>d</div>e', ['span'], ['<div>a', '</div>e'], 'span 1'],
    ['a<svg><path/><svg/>x</svg>b<img src=x>c', ['svg', 'img'], ['a', 'b', 'c'], 'img 1; svg 1'],
    ['<nav><h1>A</h1></nav>b', ['nav'], ['b'], 'nav 1'],
    ['<div><div>a</div>', ['div'], [], 'div 1'],
    ['a', ['b'], ['a'], 'none'],
    ['a', [], ['a'], null],
  ] as const) {
    const answer = await post('/v1/chunk/html', { text, skip });
    const found = answer.json<{ text: string }[]>().map((one) => one.text);
    t.same([found, answer.headers.get('x-html-skipped')], [left, header], text);
  }
});

t.test('1 MB of endless nesting overflows no stack', (t) =>
  checkDepth(t, 'html', HOSTILE_SHAPES, [
    '«<div>a»«</div>b»',
    '«<table><tr><td>»«</table>»',
    '«<section><h1>a</h1>»«</section>x»',
  ]),
);
