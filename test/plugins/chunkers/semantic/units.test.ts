import fc from 'fast-check';
import t from 'tap';
import { unitBoundaries, withClauses } from '../../../../plugins/chunkers/semantic/units.ts';
import { sentencesBy } from '../../../../plugins/toolkit/prose/index.ts';
import { delimiters } from '../../../../plugins/toolkit/prose/options.ts';

const { boundaries } = sentencesBy({
  delim: delimiters.default,
  include_delim: 'prev',
  min_characters_per_sentence: 12,
  oversize: 'keep',
});

/** Marks the boundaries of units with ‖, and checks that they are kept. */
function unitsOf(marked: string): string {
  const text = marked.replaceAll('‖', '');
  const units = unitBoundaries(text, boundaries(text));
  return units
    .slice(1)
    .map((end, at) => text.slice(units[at], end))
    .join('‖');
}

t.test('a heading goes with the text below it; lists, tables and fences stay whole', async (t) => {
  for (const marked of [
    '# A title\n\nThe first sentence of it. ‖The second sentence.\n',
    'Text of one chapter.\n‖\n# B\n\n## Another title\n\nThe next chapter begins.\n',
    'Text of one chapter.\n‖\nTitle of it\n===========\n\nThe next chapter begins.\n',
    'A paragraph of text.\n‖\n- the first item here\n- the second item. It goes on.\n- the third item is here\n‖\nMore text follows.\n',
    'A sentence before.\n‖What we need for all of it, as it is here and as it was there:\n- the first item here\n- the second item is here\n‖\nMore text follows.\n',
    'Text before the table.\n‖\n| name of it | value of it |\n| --- | --- |\n| first name | first value |\n| second name | second value |\n‖\nMore text follows.\n',
    'Text before the fence.\n‖\n```js\nconst first = second;\n\nconst third = fourth;\n```\n‖\nMore text follows.\n',
    '# A title\n\n- the first item here\n- the second item is here\n‖\nMore text follows.\n',
    'No block at all. ‖Only two sentences.\n‖And a line of text.',
    '# A title that ends the text',
  ])
    t.equal(unitsOf(marked), marked);
});

t.test('units are sentences, and begin at headings', async () => {
  const line = fc.constantFrom(
    '# A',
    '## Title of it',
    '- item of a list',
    '| a | b |',
    '|---|---|',
    '```',
    'Text. More text. ',
    'Words:',
    '',
    '    code',
    '> quote',
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), fc.constantFrom('\n', '\r\n'), (lines, lineBreak) => {
      const text = lines.join(lineBreak);
      if (text === '') return;
      const found = unitBoundaries(text, boundaries(text));
      if (found[0] !== 0 || found.at(-1) !== text.length) throw new Error(`ends ${found}`);
      for (const [at, boundary] of found.entries()) {
        if (at > 0 && boundary <= (found[at - 1] as number)) throw new Error(`not rising: ${found}`);
        const isSentence = boundaries(text).includes(boundary);
        if (!isSentence && text[boundary] !== '#' && !/^\s*\S/.test(text.slice(boundary)))
          throw new Error(`${boundary}`);
      }
    }),
    { numRuns: 500 },
  );
});

t.test('Thai is cut at spaces between clauses that are long enough', async (t) => {
  const clause = 'เช้านี้อากาศดีมากเราเดินไปตลาดเพื่อซื้อผักและผลไม้สดจากชาวสวนที่มาขายของทุกวันเสาร์อาทิตย์';
  const text = `${clause} ${clause} สั้น ${clause} ใน 2024 ${clause}`;
  const found = withClauses(text, [0, text.length]);
  t.same(
    found.slice(1).map((end, at) => text.slice(found[at], end)),
    [`${clause} `, `${clause} `, `สั้น ${clause} `, `ใน 2024 ${clause}`],
  );
  t.same(withClauses('One two. Three four.', [0, 9, 20]), [0, 9, 20]);
});
