import t from 'tap';
import { MarkupReader } from '../../../../plugins/chunkers/html/structure/markup.ts';
import { wordsOf } from '../../../../plugins/chunkers/html/structure/words.ts';
import MARKUP from './markup.json' with { type: 'json' };

/** Tags and comments of a text, as they stand there. */
function markup(text: string): string[] {
  const reader = new MarkupReader(text);
  const found: string[] = [];
  while (reader.read()) found.push(text.slice(reader.start, reader.end));
  return found;
}

for (const [sentence, cases] of Object.entries(MARKUP)) {
  t.test(sentence, async (t) => {
    for (const [text, found] of Object.entries(cases)) t.same(markup(text), found, text);
  });
}

t.test('names of headings are plain words', async (t) => {
  const words = (text: string) => wordsOf(text, 0, text.length);
  const read = words(' <em>A</em>\r\n&amp;&nbsp;b<!-- c --> &#x43;&#68; &lt;e&gt; &unknown; &ampf');
  t.equal(read, 'A & b CD <e> &unknown; &ampf');
  t.equal(words('&#0; &#x110000; &#55357;'), '&#0; &#x110000; \ufffd');
  t.equal(Array.from(words('😀'.repeat(300))).length, 200);
  t.equal(words('<b><i></i></b>'), '');
});
