import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as entities from 'entities/decode';
import * as parse5 from 'parse5';
import t from 'tap';
import { PageTokenizer } from '../../../../plugins/toolkit/html/tokenizer.ts';
import { createRandom } from '../../../support/random.ts';

const FOLDER = process.env.HTML_SAMPLES ?? join(import.meta.dirname, '../../../fixtures/html');
const PAGES = readdirSync(FOLDER)
  .filter((name) => /\.x?html?$/.test(name))
  .map((name) => readFileSync(join(FOLDER, name), 'utf8').replaceAll('\0', ''));

/** The tree that the parser of parse5 builds from our tokens, as HTML. Comments are kept without their texts. */
function treeOf(source: string): string {
  const parser = new parse5.Parser<parse5.DefaultTreeAdapterTypes.DefaultTreeAdapterMap>({
    scriptingEnabled: false,
  });
  const tokenizer = new PageTokenizer(source, parser, { ...parse5, ...entities }, () => true);
  Object.assign(parser, { tokenizer });
  while (tokenizer.read(1000));
  return parse5.serialize(parser.document);
}

const expected = (source: string): string =>
  parse5.serialize(
    parse5.parse(source, {
      scriptingEnabled: false,
      treeAdapter: {
        ...parse5.defaultTreeAdapter,
        createCommentNode: () => parse5.defaultTreeAdapter.createCommentNode(''),
      },
    }),
  );

t.test('trees are those of the HTML standard', async (t) => {
  for (const source of [
    '',
    'a < b <3 c<',
    'a</',
    '</>a</ b>c<!d><?e?><!',
    '<p>a<!-->b<!--->c<!-- d --!>e<!---!>f-->g<!-- h',
    '<P CLASS=A class=b ID = "x>y" =z a/b/>c<br/ >d</P x="1>2">e',
    "<a href=?a&amp;b&copy=1&notit;&lt title='&lt\"'>&amp;&ampx&#x41;&#65&#0;&#128;&#xD800;&nbsp</a>",
    '<title>a <b> &amp; </titlex></TITLE >b',
    '<textarea>\n\n a</textarea><pre>\n b\n</pre><pre> \n</pre>',
    '<script><!-- <script> </script> --> </script>a<script><!-- </script>b',
    '<style><p></style><xmp><b></xmp><noframes><i></noframes><noscript><b>x</noscript>',
    '<plaintext>a</plaintext><b>',
    '<svg><![CDATA[a<b>]]><foreignObject><![CDATA[c]]></foreignObject><title>d</title></svg><![CDATA[e]]>',
    '<math><annotation-xml encoding="text/html"><p>a</p></annotation-xml></math><svg><font color=a>b',
    '<table> a <tr> b<td>c <b>d</table>e<table><input type=hidden><input>',
    '<b><p>a</b>b</p><a>c<div><a>d</div>e',
    '<ul><li>a<li>b</ul><dl><dt>a<dd>b<p>c<div>d',
    '<select><option>a<optgroup><option> b</select>',
    '<!DOCTYPE html><p>a<table></table>',
    '<!doctype html PUBLIC "-//W3C//DTD HTML 4.0//EN"><p>a<table></table>',
    '<!DOCTYPE x [<!ENTITY a "b>c">]>d',
    ' \n<html lang=a> <head> <meta> </head> <body id=b> c </body> d </html> e',
    '<frameset> a<frame> <noframes>b</noframes></frameset> c',
    'a\r\nb\rc<p\r\nid="x\r\ny">',
    '<İ><\u212a>a</\u212a>',
    '<a b=c d',
    '<p>a</p',
  ])
    t.equal(treeOf(source), expected(source), source);
  for (const [index, page] of PAGES.entries()) t.equal(treeOf(page), expected(page), `page ${index}`);
});

t.test('trees of damaged pages are those of the HTML standard', async (t) => {
  const random = createRandom(7);
  const below = (most: number): number => Math.floor(random() * most);
  const odd = ['<', '>', '"', "'", '/', '=', '&', '!', '-->', '<!--', '</', '<table>', '<p>', '</p>', ' '];
  const short = PAGES.filter(({ length }) => length < 20_000);
  const sources = short.length === 0 ? PAGES : short;
  for (let run = 0; run < 200; run++) {
    let page = sources[run % sources.length] as string;
    for (let count = 1 + below(5); count > 0; count--) {
      const at = below(page.length);
      page = page.slice(0, at) + odd[below(odd.length)] + page.slice(at + below(10));
    }
    if (treeOf(page) !== expected(page)) t.equal(treeOf(page), expected(page), `run ${run}`);
  }
  t.pass();
});
