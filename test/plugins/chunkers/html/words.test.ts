import t from 'tap';
import { wordsOf } from '../../../../plugins/chunkers/html/structure/words.ts';

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
