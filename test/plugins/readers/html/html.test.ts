import { readFileSync } from 'node:fs';
import { Parser } from 'parse5';
import t from 'tap';
import createReader from '../../../../plugins/readers/html/index.ts';
import { readWith } from '../reading.ts';

const read = (source: string | Uint8Array, more = {}) => readWith(createReader, source, more);
const textOf = async (source: string) => (await read(source)).text;

/** Pages with their Markdown, by what they show. */
const WRITTEN: Readonly<Record<string, readonly (readonly [html: string, markdown: string])[]>> = {
  'headings and paragraphs': [
    ['<h1>Tea <i>and</i>\n milk</h1>Boil<p>water.<p>Wait.', '# Tea and milk\n\nBoil\n\nwater.\n\nWait.'],
    ['<h2><a href="https://a.org">Tea</a> <a href="#tea">¶</a></h2>', '## Tea'],
    ['<h2>Tea<span class="mw-editsection">[<a href="/edit">edit</a>]</span></h2>', '## Tea'],
    [
      '<h2><i aria-hidden="true">x</i>Tea <b class="a sr-only">y</b></h2><p aria-hidden="true">z',
      '## Tea\n\nz',
    ],
    ['<h2></h2><div>a<div>b</div>c</div>', 'a\n\nb\n\nc'],
    ['a<br>b<br><br>c&nbsp;d', 'a\nb\n\nc d'],
    ['a<hr>b', 'a\n\n---\n\nb'],
  ],
  'lists, definitions and quotes': [
    [
      '<ul><li>a<ul><li>b<li>c<ol><li>d</ol></ul><li><p>e<p>f</ul>g',
      '- a\n  - b\n  - c\n    1. d\n- e\n\n  f\n\ng',
    ],
    ['<ol start=3><li>a<li>b</ol>', '3. a\n4. b'],
    ['<ul><li><ul><li>a</ul></ul>', '- - a'],
    ['<ul><li><h3>A</h3>a<li><h3>B</h3></ul>', '### A\n\na\n\n### B'],
    ['<dl><dt>a<dd>b<dd>c<dt>d<dd><p>e<p>f</dl>', 'a\n: b\n\nc\n\nd\n: e\n\nf'],
    ['<blockquote>a<p>b<br>c</blockquote>d', '> a\n\n> b\n> c\n\nd'],
  ],
  tables: [
    [
      '<table><caption>C</caption><tr><th>a<th>b<tr><td>1|2<td><p>x<p>y</table>',
      'C\n\n| a | b |\n| - | - |\n| 1\\|2 | x y |',
    ],
    ['<table><tr><td>a<td>b<tr><td>c<td>d</table>', '| | |\n| - | - |\n| a | b |\n| c | d |'],
    [
      '<table><thead><tr><td colspan=2>a<td>b<tbody><tr><td rowspan=2>c<td>d<td>e<tr><td>f<td>g</table>',
      '| a | | b |\n| - | - | - |\n| c | d | e |\n| c | f | g |',
    ],
    ['<table><tr><td>a<td><table><tr><th>b<tr><td>c</table></table>', 'a\n\n| b |\n| - |\n| c |'],
    ['<table role=presentation><tr><td>a<td>b<tr><td>c</table>', 'a b\n\nc'],
    ['<table><tr><td>a<tr><td>b</table>', 'a\n\nb'],
  ],
  code: [
    ['<pre><code class="language-js">a  &lt;b>\n\n  c</code></pre>', '```js\na  <b>\n\n  c\n```'],
    ['<pre>\n```\nx</pre>', '````\n```\nx\n````'],
    [
      '<div class="highlight-python3 notranslate"><div><pre>a<br>b<div>c</div></pre></div></div>',
      '```python3\na\nb\nc\n```',
    ],
    ['call <code>a <b>b</b></code><tt>c</tt>, <kbd>`x`</kbd>', 'call `a bc`, `` `x` ``'],
    ['<code>&lt;div> &amp;amp;</code>', '`<div> &amp;`'],
  ],
  'links and pictures': [
    ['<a href="https://a.org/?utm_source=x&b=1">a <b>b</b></a>c', '[a b](https://a.org/?b=1)c'],
    ['<a href="b.html">b</a> <a href="javascript:x()">c</a> <a href="data:,x">d</a>', 'b c d'],
    [`<a href="https://a.org/${'x'.repeat(200)}">a</a>`, 'a'],
    ['<nav><a href="https://a.org">a</a></nav><a href="https://a.org"><p>b</p>c</a>', 'a\n\nb\n\nc'],
    [
      'x<img src=a.png alt="a cup">y<figure><img src=b.png><figcaption>c</figcaption></figure>',
      'x a cup y\n\nc',
    ],
  ],
  'forms, details and what is said with signs': [
    [
      '<form><label>Name <input value=Ann></label><input type=hidden value=x><button>Send</button><input type=submit value=Go></form>',
      'Name Ann Send Go',
    ],
    ['<select><option>a<option selected>b</select>c<select multiple><option>d<option>e</select>', 'b c d e'],
    ['<details><summary>More</summary>text</details>', 'More\n\ntext'],
    ['x<sup>2</sup>, 1<sup>st</sup>, H<sub>2</sub>O', 'x^2, 1st, H2O'],
    ['<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>', '漢(kan)'],
    [
      '<math><mfrac><mi>a</mi><msup><mi>b</mi><mn>2</mn></msup></mfrac><annotation>x</annotation></math>',
      'a/(b^2)',
    ],
    ['<svg><title>Logo</title><desc>no</desc><text>one</text><text>two</text></svg>', 'Logo one two'],
    ['&copy;&nbsp;caf&eacute; soft&shy;ware &#x1F375;', '© café software 🍵'],
  ],
  'only what a browser shows without scripts': [
    ['<noscript><p>a</noscript><p aria-hidden=true>b', 'a\n\nb'],
    [
      '<template>a</template><p hidden>b<p style="color:red;display: none">c<dialog>d</dialog><iframe>e</iframe><video>f</video><p hidden=until-found>g',
      'g',
    ],
    ['<script>a</script><style>b</style><!-- c -->d', 'd'],
  ],
  'what would be Markdown or a tag': [
    [
      '# a<p>1. b<p>- c<p>&gt; d<p>--- <p>```e<p>[f]: g<p>| --- |',
      '\\# a\n\n1. b\n\n- c\n\n\\> d\n\n\\---\n\n\\```e\n\n\\[f]: g\n\n\\| --- |',
    ],
    ['a &lt;b> &lt;/c> &lt; d &amp;amp; \\&lt;e>', 'a \\<b> \\</c> < d \\&amp; \\\\\\<e>'],
    ['&lt;<i>b></i>', '\\<b>'],
    ['<h2>C #</h2>', '## C \\#'],
  ],
};

for (const [what, pages] of Object.entries(WRITTEN))
  t.test(`${what} are written`, async (t) => {
    for (const [html, markdown] of pages) t.equal(await textOf(html), markdown, html);
  });

t.test('the head gives title and metadata; what is left out is counted', async (t) => {
  const reported: string[] = [];
  const page = `<!-- a --><html lang="de-DE"><title> Tea\n &amp; milk</title><meta name=Author content="Ada"><meta name=author content=Bob>
    <meta property="og:description" content="How to"><meta property="article:published_time" content="2026-01-02">
    <meta name=description content="later"><link rel=canonical href="https://a.org/tea"><script>x</script>
    <script>y</script><p hidden>z<svg><title>Logo</title></svg>`;
  const reader = await createReader({} as never);
  const file = { bytes: Buffer.from(page), name: undefined, mediaType: undefined, charset: undefined };
  const { signal } = new AbortController();
  const read = await reader.read(file, {
    signal,
    report: (...pair) => reported.push(pair.join(': ')),
    options: {},
  });
  t.match(read, { title: 'Tea & milk', mediaType: 'text/markdown', encoding: 'utf-8' });
  t.same(read.metadata, {
    authors: ['Ada', 'Bob'],
    language: 'de-DE',
    description: 'How to',
    created: '2026-01-02',
    url: 'https://a.org/tea',
  });
  t.same(reported, ['html-left-out: comment 1; hidden 1; script 2']);
});

t.test('the encoding is that of the mark, the request, the page, else UTF-8 or windows-1252', async (t) => {
  const latin = (html: string) => Buffer.from(html, 'latin1');
  const utf16 = Buffer.from('\ufeff<p>é', 'utf16le');
  const cases: readonly (readonly [Uint8Array, object, string, string])[] = [
    [utf16, { charset: 'utf-8' }, 'utf-16le', 'é'],
    [Buffer.from('<meta charset=utf-8><p>\u00e9', 'latin1'), { charset: 'iso-8859-1' }, 'windows-1252', 'é'],
    [latin('<meta charset="iso-8859-2"><p>\u00b1'), {}, 'iso-8859-2', 'ą'],
    [latin('<meta http-equiv=content-type content="text/html; charset=koi8-r"><p>\u00c1'), {}, 'koi8-r', 'а'],
    [latin('<!-- <meta charset=koi8-r> --><p>\u00c1'), {}, 'windows-1252', 'Á'],
    [latin('<?xml version="1.0" encoding="koi8-r"?><p>\u00c1'), {}, 'koi8-r', 'а'],
    [Buffer.from('<meta charset="utf-16"><p>é'), {}, 'utf-8', 'é'],
    [Buffer.from('<meta charset="{{charset}}"><p>é'), {}, 'utf-8', 'é'],
    [latin('<p>\u0080\u00e9'), {}, 'windows-1252', '€é'],
  ];
  for (const [bytes, more, encoding, text] of cases) t.match(await read(bytes, more), { encoding, text });
  await t.rejects(read(latin('<meta charset=koi8-r><p>\u00e9'), { charset: 'utf-8' }), {
    statusCode: 400,
    message: /it is not valid utf-8; save it as UTF-8, or name its encoding/,
  });
  await t.rejects(read(latin('<p>\u00e9'), { charset: 'no-such' }), { message: /not valid no-such/ });
  await t.rejects(read(Buffer.from('<p>a\0b')), { statusCode: 400, message: /NUL characters/ });
});

t.test('in XHTML elements are empty, and sections are text', async (t) => {
  const page =
    '<html><head><script src="x"/><title/></head><body><h2/><p>a <![CDATA[< &amp; b]]></p></body></html>';
  const text = 'a < \\&amp; b';
  t.equal((await read(page, { name: 'a.xhtml' })).text, text);
  t.equal((await read(page, { mediaType: 'application/xhtml+xml' })).text, text);
  t.equal((await read(page, { name: 'a.html' })).text, '', 'in HTML the script goes on');
});

t.test('U+FFFD is written only if the page has it', async (t) => {
  t.equal(await textOf('a&#xD800;&#0;b'), 'ab');
  t.equal(await textOf('a\ufffdb'), 'a\ufffdb');
  t.equal(await textOf('a&#xFFFD;b'), 'a\ufffdb');
});

t.test('what is too much for a thread is refused, and deep nesting is flattened', async (t) => {
  await t.rejects(read('<p>'.repeat(700_000)), {
    statusCode: 400,
    message: /more than 600000 elements/,
  });
  await t.rejects(read('<template>'.repeat(2000)), {
    statusCode: 400,
    message: /nested more than 1000 deep/,
  });
  const words = Array.from({ length: 2000 }, (_, at) => `w${at}`);
  const text = await textOf(words.map((word) => `<div><span>${word}`).join(''));
  t.same(text.match(/\S+/g), words);
  const lists = await textOf('<ul><li>a'.repeat(900));
  t.equal(lists.match(/a/g)?.length, 900);
  t.ok(
    lists.split('\n').every((line) => line.length < 40),
    'and so is the depth of lists',
  );
});

t.test('it ends when nobody waits for it', async (t) => {
  const reader = await createReader({} as never);
  const controller = new AbortController();
  const file = {
    bytes: Buffer.from('<p>a'.repeat(600_000)),
    name: undefined,
    mediaType: undefined,
    charset: undefined,
  };
  const reading = Promise.resolve(reader.read(file, { report() {}, signal: controller.signal, options: {} }));
  controller.abort(new Error('gone'));
  await t.rejects(reading, { message: 'gone' });
});

t.test('the main content is what is left of an article without what is around it', async (t) => {
  const sentence = 'Boil the water, wait for a minute, and pour it over the leaves in the pot. ';
  const paragraphs = Array.from({ length: 12 }, (_, at) => `<p>${at}. ${sentence.repeat(3)}</p>`).join('');
  const page = `<title>Tea</title><meta name=author content=Ada><nav><a href="/">Home</a></nav><div class=sidebar><ul><li><a href=b>Other</a></ul></div>
    <article><h2>How to</h2>${paragraphs}<table><tr><th>a<th>b<tr><td>c<td>d</table></article><footer>Imprint</footer>`;
  const main = await readWith(createReader, page, {}, { content: 'main' });
  t.match(main, { title: 'Tea', metadata: { authors: ['Ada'] } });
  t.match(main.text, /^## How to\n\n0\\?\. Boil/);
  t.match(main.text, /\| a \| b \|\n\| - \| - \|\n\| c \| d \|$/);
  t.notMatch(main.text, /Home|Other|Imprint/);
  t.match(
    (await readWith(createReader, page, {}, { content: 'all' })).text,
    /Home[\s\S]*Other[\s\S]*Imprint/,
  );
  const [short, empty] = await Promise.all(
    ['<nav>Home</nav>', ''].map((html) => readWith(createReader, html, {}, { content: 'main' })),
  );
  t.equal(short?.text, 'Home', 'a page without an article is read as a whole');
  t.equal(empty?.text, '');
  const large = readWith(createReader, '<p>a'.repeat(150_000), {}, { content: 'main' });
  await t.rejects(large, {
    statusCode: 400,
    message: /main content of the page cannot be found: .*read all of it/,
  });
});

t.test(
  'parse5 has the version whose parser is patched from outside, with the members that are used',
  async (t) => {
    const file = readFileSync(new URL('../package.json', import.meta.resolve('parse5')), 'utf8');
    const { version } = JSON.parse(file) as { version: string };
    t.equal(version, '8.1.1', 'read plugins/toolkit/html/page.ts again before parse5 is updated');
    const { activeFormattingElements, onEndTag, onStartTag, openElements, tokenizer } = new Parser();
    for (const method of [activeFormattingElements.pushElement, onEndTag, onStartTag, tokenizer.write])
      t.type(method, 'function');
    for (const number of [openElements.depth, openElements.tmplCount, tokenizer.state])
      t.type(number, 'number');
  },
);
