import { decodeHTML } from 'entities/decode';
import t from 'tap';
import { wordsOf } from '../../../../plugins/chunkers/html/structure/headings.ts';
import { postFile } from '../../../support/files.ts';
import { needs } from '../../../support/here.ts';
import { startServer } from '../../../support/server.ts';

const words = (html: string) => wordsOf(html, 0, html.length, decodeHTML);

t.test('names of headings are plain words', async (t) => {
  t.equal(
    words(' <em>A</em>\r\n&amp;&nbsp;b<!-- c --> &#x43;&#68; &lt;e&gt; &unknown; &eacute;'),
    'A & b CD <e> &unknown; \u00e9',
  );
  t.equal(Array.from(words('\u{1f600}'.repeat(300))).length, 200);
  t.equal(words('<b><i></i></b>'), '');
});

for (const [html, expected] of [
  ['Guide<a class="headerlink" href="#guide" title="Permalink">\u00b6</a>', 'Guide'],
  ['Guide<a class="headerlink" href="#guide">&para;</a>', 'Guide'],
  ['<a class="header-anchor" href="#a" aria-hidden="true">#</a> Guide', 'Guide'],
  [
    'Guide <a class="header-anchor" href="#a" aria-label="Permalink to &quot;Guide&quot;">&#8203;</a>',
    'Guide',
  ],
  ['Guide<a href="#a" class="hash-link" aria-label="Direct link to Guide">\u200b</a>', 'Guide'],
  ['<a id="a" class="anchor" href="#a"><svg aria-hidden="true"><path d="M"/></svg></a>Guide', 'Guide'],
  ['Guide <a class="anchor-link" href="#a"><img src="l.svg" alt="Link icon"></a>', 'Guide'],
  ['<a href="#a" class="doc-anchor">\u00a7</a>Guide', 'Guide'],
  ['<a class="anchor" id="a"></a>\nGuide', 'Guide'],
  ['<a class="header" href="#a">Guide to <code>x</code></a>', 'Guide to x'],
  ['<a class="anchor" href="#a">Guide</a>', 'Guide'],
  ['<a href="#a">See</a> also', 'See also'],
  [
    '<span class="mw-headline" id="H">History</span><span class="mw-editsection"><span class="mw-editsection-bracket">[</span><a href="/w?action=edit">edit</a><span class="mw-editsection-bracket">]</span></span>',
    'History',
  ],
  ['Guide <span class="sr-only">(opens in a new tab)</span>', 'Guide'],
  ['<i class="icon" aria-hidden="true">home</i> Guide', 'Guide'],
  ['Two<br>words', 'Two words'],
  ['Two<br/>words<div>more</div>', 'Two words more'],
  ['hyphen&shy;ation a\u00adb', 'hyphenation ab'],
  ['a<sup>2</sup> and b<sup>th</sup>', 'a^2 and bth'],
  ['<script>x()</script><style>h1{}</style>Guide', 'Guide'],
  ['<img src="a.png" alt="Tea">', 'Tea'],
  ['<img src=a.png alt=Tea> and milk', 'Tea and milk'],
  ['<ruby>\u6f22<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>', '\u6f22(kan)'],
  ['<span hidden>no</span>Guide<span style="display: none">no</span>', 'Guide'],
] as const)
  t.equal(words(html), expected, html.slice(0, 60));

const SPHINX = `<section id="guide"><h1>Guide &amp; more<a class="headerlink" href="#guide" title="Link to this heading">¶</a></h1><p>x</p>
<section id="api"><h2><code class="docutils literal"><span class="pre">api</span></code> calls<a class="headerlink" href="#api">¶</a></h2><p>y</p></section></section>`;
const MEDIAWIKI = `<h1 id="firstHeading"><span class="mw-page-title-main">Tea</span></h1><p>x</p><h2><span class="mw-headline" id="History">History of
<i>tea</i></span><span class="mw-editsection"><span class="mw-editsection-bracket">[</span><a href="/w/index.php?title=Tea&amp;action=edit">edit</a><span class="mw-editsection-bracket">]</span></span></h2><p>y</p>`;
const VITEPRESS = `<h1 id="a" tabindex="-1">Form <br>Input <a class="header-anchor" href="#a" aria-label="Permalink">&#8203;</a></h1><p>x</p>
<h2 id="b"><a class="header-anchor" href="#b" aria-hidden="true">#</a> Caf&eacute;&nbsp;society</h2><p>y</p>`;
const GITHUB = `<h1><a id="user-content-x" class="anchor" aria-hidden="true" href="#x"><svg class="octicon"><path d="M4 9"></path></svg></a>Install</h1><p>x</p>
<h2 dir="auto"><img src="a.png" alt="Logo"> of 10<sup>3</sup></h2><p>y</p><h3></h3><p>z</p>`;
const HELPERS = `<h1>Plans <span class="sr-only">(current)</span></h1><p>x</p><h2><i class="fa" aria-hidden="true">*</i>Prices&shy;list</h2><p>y</p>
<h2><script>a()</script>Last <span style="display:none">no</span></h2><p>w</p>`;

t.test('names of headings are those that the reader html writes', needs('reader/html'), async (t) => {
  const client = await startServer(t, {});
  for (const [page, count] of [
    [SPHINX, 2],
    [MEDIAWIKI, 2],
    [VITEPRESS, 2],
    [GITHUB, 2],
    [HELPERS, 3],
  ] as const) {
    const read = await postFile(client, '/v1/chunk/token/file?chunk_size=100000', page, {
      'content-type': 'text/html',
    });
    const text = read
      .json<{ text: string }[]>()
      .map((one) => one.text)
      .join('');
    const written = Array.from(text.matchAll(/^#+ (.*)$/gm), ([, name = '']) => name.replaceAll('`', ''));
    t.equal(written.length, count, text);
    const answer = await client.post('/v1/chunk/html', { text: page, split_level: 6 });
    const names = answer.json<{ heading_path: string[] }[]>().map(({ heading_path }) => heading_path.at(-1));
    t.same([...new Set(names)], written);
  }
});
