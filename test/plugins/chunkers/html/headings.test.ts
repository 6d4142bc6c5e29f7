import { decodeHTML } from 'entities/decode';
import t from 'tap';
import { wordsOf } from '../../../../plugins/chunkers/html/structure/headings.ts';

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
