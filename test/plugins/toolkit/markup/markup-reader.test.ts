import t from 'tap';
import { MarkupReader } from '../../../../plugins/toolkit/markup/markup-reader.ts';
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
