import t from 'tap';
import { MarkupReader } from '../../../../plugins/chunkers/html/structure/markup.ts';
import { wordsOf } from '../../../../plugins/chunkers/html/structure/words.ts';

/** Tags and comments of a text, as they stand there. */
function markup(text: string): string[] {
  const reader = new MarkupReader(text);
  const found: string[] = [];
  while (reader.read()) found.push(text.slice(reader.start, reader.end));
  return found;
}

const MARKUP: Readonly<Record<string, readonly (readonly [text: string, found: readonly string[]])[]>> = {
  'tags end where the HTML standard ends them': [
    ['a <b>c</b> d', ['<b>', '</b>']],
    ['<A HREF="x>y" b=\'>\'>z', ['<A HREF="x>y" b=\'>\'>']],
    ['<a b = "x>y">z', ['<a b = "x>y">']],
    ['<a b=x"y>z">', ['<a b=x"y>']],
    ['<a ="x>y">', ['<a ="x>']],
    ['<a b=>c', ['<a b=>']],
    ['<a b==">c">', ['<a b==">']],
    ['<a "b>c">', ['<a "b>']],
    ['<a/b="x>"/>y', ['<a/b="x>"/>']],
    ['1 < 2 <3 <\n> <é>', []],
    ['</ b>c</1>d</>e', ['</ b>', '</1>', '</>']],
    ['a <b c="d', []],
    ['<p><b c=\'d><i>"', ['<p>']],
    ['<a\n\tb\r\n>', ['<a\n\tb\r\n>']],
  ],
  'comments and declarations end where the HTML standard ends them': [
    ['<!-- a > <b> --->c', ['<!-- a > <b> --->']],
    ['<!-->a-->', ['<!-->']],
    ['<!--->a', ['<!--->']],
    ['<!--a--!>b', ['<!--a--!>']],
    ['<!--!>a-->b', ['<!--!>a-->']],
    ['<!-- a <p>', ['<!-- a <p>']],
    ['<!DOCTYPE html>\n<?xml a?><![if IE]><p>', ['<!DOCTYPE html>', '<?xml a?>', '<![if IE]>', '<p>']],
    ['<!--[if IE]><p><![endif]-->a', ['<!--[if IE]><p><![endif]-->']],
    ['<![CDATA[a>b]]>', ['<![CDATA[a>']],
    ['<svg><![CDATA[<a>]]></svg>', ['<svg>', '<![CDATA[<a>]]>', '</svg>']],
    ['<svg/><![CDATA[a>b]]>', ['<svg/>', '<![CDATA[a>']],
    ['<svg><g><p><![CDATA[a>b]]>', ['<svg>', '<g>', '<p>', '<![CDATA[a>']],
  ],
  'what stands raw has no tags': [
    ['<script>"</scr" + <b></script >c', ['<script>', '</script >']],
    ['<script><!-- <script></script> --></script>a<b>', ['<script>', '</script>', '<b>']],
    ['<script><!-- </script><b>', ['<script>', '</script>', '<b>']],
    ['<script><!--><script></script><b>', ['<script>', '</script>', '<b>']],
    ['<STYLE>a > b {} <p></Style><p>', ['<STYLE>', '</Style>', '<p>']],
    ['<title><b></title><textarea></p></textarea>', ['<title>', '</title>', '<textarea>', '</textarea>']],
    ['<script><p>', ['<script>']],
    ['<plaintext><p></plaintext>', ['<plaintext>']],
    [
      '<svg><style/><title><a></title></svg><p>',
      ['<svg>', '<style/>', '<title>', '<a>', '</title>', '</svg>', '<p>'],
    ],
  ],
};

for (const [sentence, cases] of Object.entries(MARKUP)) {
  t.test(sentence, async (t) => {
    for (const [text, found] of cases) t.same(markup(text), found, text);
  });
}

t.test('names of headings are plain words', async (t) => {
  const words = (text: string) => wordsOf(text, 0, text.length);
  t.equal(
    words(' <em>A</em>\r\n&amp;&nbsp;b<!-- c --> &#x43;&#68; &lt;e&gt; &unknown; &ampf'),
    'A & b CD <e> &unknown; &ampf',
  );
  t.equal(words('&#0; &#x110000; &#55357;'), '&#0; &#x110000; \ufffd');
  t.equal(Array.from(words('😀'.repeat(300))).length, 200);
  t.equal(words('<b><i></i></b>'), '');
});
